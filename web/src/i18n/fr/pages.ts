import type { Translated } from "../en";
import type { pages as english } from "../en/pages";

export const pages: Translated<typeof english> = {
  library: {
    title: "Vidéothèque",
    search: "Chercher par titre",
    results_one: "{{count}} vidéo",
    results_other: "{{count}} vidéos",
    emptyTitle: "Aucune vidéo pour « {{title}} »",
    emptyText: "Essayez un autre mot.",
    none: "La vidéothèque est vide",
    noneText: "Les vidéos s’affichent ici dès que la chaîne les publie.",
    watch: "Regarder",
    back: "Retour à la vidéothèque",
    missing: "Cette vidéo est introuvable.",
    noAccess: "Un laissez-passer est requis pour la vidéothèque.",
  },
  info: {
    about: "À propos",
    contacts: "Nous joindre",
    faq: "Questions et réponses",
    privacy: "Politique de confidentialité",
    terms: "Conditions d’utilisation",
    reviewed: "Les envois sont examinés en 5 jours ouvrables.",
    missing: "Cette page n’a encore rien à montrer.",
    faqEmpty: "Aucune question",
    faqEmptyText: "Dès que la chaîne écrit des réponses, elles s’affichent ici.",
  },
};

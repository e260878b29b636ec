import type { Language } from "../../lib/language";

/** Texts of the dialog. They are loaded with it to keep the first page small. */
export interface ReportTexts {
  readonly title: string;
  readonly intro: string;
  readonly note: string;
  readonly notePlaceholder: string;
  readonly which: string;
  readonly present: string;
  readonly earlier: string;
  readonly what: string;
  readonly explained: string;
  readonly lines: (count: string, size: string) => string;
  readonly cut: (lines: string) => string;
  readonly cutBeginning: (lines: string) => string;
  readonly tooLarge: string;
  readonly empty: string;
  readonly reading: string;
  readonly requestIds: (count: number) => string;
  readonly send: string;
  readonly save: string;
  readonly close: string;
  readonly sent: string;
  readonly receipt: string;
  readonly failed: string;
  readonly throttled: string;
}

export const texts: { readonly [L in Language]: ReportTexts } = {
  en: {
    title: "Report a problem",
    intro: "A report is a recording of what this page did. It lets us see what you saw, step by step.",
    note: "What went wrong?",
    notePlaceholder: "I pressed Buy, and then…",
    which: "Which recording",
    present: "This page",
    earlier: "Before the last reload or crash",
    what: "What will be sent",
    explained:
      "Pages you opened, what you pressed, searches and clip names, what the channel answered. No names, addresses, passwords or cards: they are never recorded.",
    lines: (count, size) => `${count} lines, ${size}`,
    cut: (lines) =>
      `The recording is too long to be sent whole: its beginning and its last part are sent, ${lines} lines between them are not. Saving keeps all of it.`,
    cutBeginning: (lines) =>
      `The recording is too long to be sent whole: only its last part is sent, ${lines} lines before it are not. What the page did by itself cannot be tried again from that part; saving keeps all of it.`,
    tooLarge: "The recording is too large to be sent. Save it, and send the file to support.",
    empty: "There is no recording. Your words and the request numbers are sent.",
    reading: "Reading the recording",
    requestIds: (count) => (count === 1 ? "1 request number" : `${count} request numbers`),
    send: "Send",
    save: "Save as a file",
    close: "Done",
    sent: "Sent. Thank you.",
    receipt: "If you write to support, name this number:",
    failed: "The report could not be sent. Save it as a file, or try again later.",
    throttled: "Too many reports in a short time. Please try again in a few minutes.",
  },
  fr: {
    title: "Signaler un problème",
    intro:
      "Un rapport est un enregistrement de ce que cette page a fait. Il nous permet de voir ce que vous avez vu, étape par étape.",
    note: "Que s’est-il passé?",
    notePlaceholder: "J’ai appuyé sur Acheter, puis…",
    which: "Quel enregistrement",
    present: "Cette page",
    earlier: "Avant le dernier rechargement ou l’arrêt brutal",
    what: "Ce qui sera envoyé",
    explained:
      "Les pages ouvertes, les boutons utilisés, les recherches et les noms d’extraits, les réponses de la chaîne. Aucun nom, aucune adresse, aucun mot de passe ni aucune carte : ils ne sont jamais enregistrés.",
    lines: (count, size) => `${count} lignes, ${size}`,
    cut: (lines) =>
      `L’enregistrement est trop long pour être envoyé en entier : son début et sa dernière partie sont envoyés, sans ${lines} lignes entre les deux. Le fichier le garde au complet.`,
    cutBeginning: (lines) =>
      `L’enregistrement est trop long pour être envoyé en entier : seule sa dernière partie est envoyée, sans les ${lines} lignes qui la précèdent. Ce que la page a fait d’elle-même ne peut pas être rejoué à partir de cette partie; le fichier garde tout.`,
    tooLarge: "L’enregistrement est trop volumineux pour être envoyé. Enregistrez-le et envoyez le fichier au soutien.",
    empty: "Il n’y a pas d’enregistrement. Vos mots et les numéros de requête sont envoyés.",
    reading: "Lecture de l’enregistrement",
    requestIds: (count) => (count === 1 ? "1 numéro de requête" : `${count} numéros de requête`),
    send: "Envoyer",
    save: "Enregistrer un fichier",
    close: "Terminé",
    sent: "Envoyé. Merci.",
    receipt: "Si vous écrivez au soutien, donnez ce numéro :",
    failed: "Le rapport n’a pas pu être envoyé. Enregistrez-le dans un fichier ou réessayez plus tard.",
    throttled: "Trop de rapports en peu de temps. Veuillez réessayer dans quelques minutes.",
  },
};

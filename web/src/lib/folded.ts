/** Letters without accents and case: "Égalité" is found by "egal". */
export const folded = (text: string): string => text.normalize("NFD").replaceAll(/\p{M}/gu, "").toLowerCase();

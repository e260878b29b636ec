/** Removes accents and case: "egal" finds "Égalité". */
export const folded = (text: string): string => text.normalize("NFD").replaceAll(/\p{M}/gu, "").toLowerCase();

let known: { readonly [address: string]: string | undefined } | null = null;

function read(): NonNullable<typeof known> {
  try {
    return JSON.parse(document.getElementById("touchline-drawings")?.textContent ?? "{}");
  } catch {
    // A page that was truncated in transit fetches them.
    return {};
  }
}

/** The source of a picture: the page embeds the channel's small drawings. */
export function shownFrom(address: string): string {
  known ??= read();
  return known[address] ?? address;
}

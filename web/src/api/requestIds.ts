const MAX_IDS = 500;

/** The ids of this page's last requests, newest first; a problem report carries them. */
export interface RequestIds {
  remember(id: string | null): void;
  list(): string[];
}

export function createRequestIds(): RequestIds {
  let ids: string[] = [];
  return {
    remember(id) {
      if (id !== null && id !== "") ids = [id, ...ids].slice(0, MAX_IDS);
    },
    list: () => [...ids],
  };
}

const KEPT = 500;

/** The last ids that the worker gave to requests of this page, newest first: a problem report carries them. */
export interface RequestIds {
  remember(id: string | null): void;
  list(): string[];
}

export function createRequestIds(): RequestIds {
  let ids: string[] = [];
  return {
    remember(id) {
      if (id !== null && id !== "") ids = [id, ...ids].slice(0, KEPT);
    },
    list: () => [...ids],
  };
}

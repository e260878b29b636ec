import type { PackageContent, SearchResults } from "../../contracts/resources";
import { type Endpoints, read, readArray } from "./endpoint";

export type FindingMethod = "api.listEventStarts" | "api.listPackageContents" | "api.search";

export const finding: Endpoints<FindingMethod> = {
  "api.listEventStarts": async ({ filter }, call) =>
    (await read<{ starts: number[] }>(call, "/events/starts", { query: { ...filter } })).starts,
  "api.listPackageContents": (_, call) => readArray<PackageContent>(call, "/packages/contents"),
  "api.search": (query, call) => read<SearchResults>(call, "/search", { query }),
};

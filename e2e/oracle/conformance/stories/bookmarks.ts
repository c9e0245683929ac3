import { builtinResources } from "@tsbuilder/apimachinery/kinds";
import { get, type Story } from "../story.ts";

const query =
  "watch=1&timeoutSeconds=3&sendInitialEvents=true&resourceVersionMatch=NotOlderThan&allowWatchBookmarks=true";

/** The bookmark after the initial events holds an empty object: each kind has other fields that Go never omits. */
export const bookmarks: readonly Story[] = [
  {
    name: "of every kind",
    atOnce: true,
    steps: builtinResources()
      .filter(({ verbs }) => verbs.includes("watch"))
      .map(({ apiVersion, plural, scope }) => {
        const root = `${apiVersion.includes("/") ? "/apis" : "/api"}/${apiVersion}`;
        const path = `${root}${scope === "Namespaced" ? "/namespaces/{ns}" : ""}/${plural}`;
        return get(`${path}?${query}&fieldSelector=metadata.name%3Dnothing`);
      }),
  },
];

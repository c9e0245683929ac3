import { get, merge, post, remove, type Story, story } from "../story.ts";

const cm = "/api/v1/namespaces/{ns}/configmaps";
const make = (name: string, app = "x") => post(cm, { metadata: { name, labels: { app } } });
const from = (step: number, more = "") =>
  get(`${cm}?watch=1&timeoutSeconds=1&resourceVersion={${step}.metadata.resourceVersion}${more}`);

export const watches: readonly Story[] = [
  story("from a revision", [
    make("a"),
    merge(`${cm}/a`, { data: { k: "v" } }),
    make("b"),
    remove(`${cm}/a`),
    from(1),
    get(`${cm}?watch=1&timeoutSeconds=1`),
    get(`${cm}?watch=1&timeoutSeconds=1&resourceVersion=0`),
    from(3, "&fieldSelector=metadata.name%3Da"),
  ]),
  story("selectors", [
    make("a"),
    merge(`${cm}/a`, { metadata: { labels: { app: "y" } } }),
    merge(`${cm}/a`, { metadata: { labels: { app: "x" } } }),
    merge(`${cm}/a`, { data: { k: "v" } }),
    remove(`${cm}/a`),
    from(1, "&labelSelector=app%3Dx"),
    from(1, "&labelSelector=app%3Dy"),
  ]),
  story("initial events", [
    make("a"),
    make("b"),
    get(
      `${cm}?watch=1&timeoutSeconds=1&sendInitialEvents=true&resourceVersionMatch=NotOlderThan&allowWatchBookmarks=true`,
    ),
    get(`${cm}?watch=1&timeoutSeconds=1&sendInitialEvents=true`),
    get(`${cm}?watch=1&timeoutSeconds=1&resourceVersionMatch=NotOlderThan`),
    get(
      `${cm}?watch=1&timeoutSeconds=1&sendInitialEvents=false&resourceVersionMatch=NotOlderThan&resourceVersion={1.metadata.resourceVersion}`,
    ),
  ]),
  story("errors", [
    get(`${cm}?watch=1&timeoutSeconds=1&resourceVersion=x`),
    get(`${cm}?watch=1&timeoutSeconds=x`),
    get(`${cm}?watch=1&timeoutSeconds=1&labelSelector=a%3D%3D%3D`),
    { ...get(`${cm}?watch=1&timeoutSeconds=1`), accept: "text/html" },
  ]),
  story("what is refused first", [
    ...["text/html", "application/yaml"].flatMap((accept) => [
      get(`${cm}?watch=1&timeoutSeconds=1&limit=x`, accept),
      get(`${cm}?watch=1&timeoutSeconds=1&sendInitialEvents=true`, accept),
      get(`${cm}?watch=1&timeoutSeconds=1&resourceVersion=x`, accept),
      get(`${cm}?limit=x`, accept),
    ]),
    get(`${cm}?watch=1&timeoutSeconds=1&resourceVersionMatch=Exact&resourceVersion=0`),
    get(`${cm}?watch=1&timeoutSeconds=1&resourceVersionMatch=a&sendInitialEvents=true&continue=b`),
    get(`${cm}?resourceVersionMatch=a&sendInitialEvents=true&continue=b`),
    get(`${cm}?resourceVersionMatch=Exact&resourceVersion=0&sendInitialEvents=false&continue=b`),
    ...["sendInitialEvents=true&resourceVersionMatch=NotOlderThan", "resourceVersionMatch=Exact"].map(
      (query) => get(`/api/v1/watch/namespaces/{ns}/configmaps?timeoutSeconds=1&${query}`),
    ),
    get(
      "/api/v1/watch/namespaces/{ns}/configmaps?timeoutSeconds=1&resourceVersionMatch=Exact&resourceVersion=0",
    ),
  ]),
  story("where the initial events end", [
    make("a"),
    ...["", "&resourceVersion=0", "&resourceVersion={1.metadata.resourceVersion}"].flatMap((start) =>
      ["&allowWatchBookmarks=true", "&allowWatchBookmarks=true&limit=1", "&continue=b"].map((more) =>
        get(`${cm}?watch=1&timeoutSeconds=1${start}${more}`),
      ),
    ),
    get(`${cm}?watch=1&timeoutSeconds=1&sendInitialEvents=true&resourceVersionMatch=NotOlderThan`),
    get("/api/v1/watch/namespaces/{ns}/configmaps?timeoutSeconds=1&allowWatchBookmarks=true"),
  ]),
  story("representations", [
    make("a"),
    get(`${cm}?watch=1&timeoutSeconds=1`, "application/json;as=Table;v=v1;g=meta.k8s.io"),
    get(`${cm}?watch=1&timeoutSeconds=1`, "application/json;as=PartialObjectMetadata;v=v1;g=meta.k8s.io"),
  ]),
  story("old paths", [
    make("a"),
    get("/api/v1/watch/namespaces/{ns}/configmaps?timeoutSeconds=1"),
    get("/api/v1/watch/namespaces/{ns}/configmaps/a?timeoutSeconds=1"),
  ]),
];

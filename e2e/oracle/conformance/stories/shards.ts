import { get, post, remove, type Story, story } from "../story.ts";

const cm = "/api/v1/namespaces/{ns}/configmaps";
const make = (name: string, labels: Record<string, string> = {}) => post(cm, { metadata: { name, labels } });

const range = (field: string, start: string, end: string) =>
  `shardRange(object.metadata.${field}, '0x${start}', '0x${end}')`;
/** UIDs are random, so stories ask for all of them or, but for one chance in 2^64, for none. */
const all = range("uid", "0000000000000000", "10000000000000000");
const none = range("uid", "0000000000000000", "0000000000000001");
const halves = ["uid", "namespace"].map((field) => [
  range(field, "0000000000000000", "8000000000000000"),
  range(field, "8000000000000000", "10000000000000000"),
]) as [[string, string], [string, string]];

const shardOf = (path: string) => (selector: string, more: string, accept?: string) =>
  get(`${path}?shardSelector=${encodeURIComponent(selector)}${more}`, accept);
const list = (selector: string, more = "", accept?: string) => shardOf(cm)(selector, more, accept);
const watch = (selector: string, more = "") => list(selector, `&watch=1&timeoutSeconds=1${more}`);
const initial = "&sendInitialEvents=true&resourceVersionMatch=NotOlderThan&allowWatchBookmarks=true";

const everywhere = shardOf("/api/v1/configmaps");
const inNamespace = (namespace: string) =>
  post(`/api/v1/namespaces/${namespace}/configmaps`, {
    metadata: { name: "{ns}", labels: { story: "{ns}" } },
  });
const ofStory = "&labelSelector=story%3D{ns}";

const widgets = "/apis/{group}/v1/namespaces/{ns}/widgets";
const widgetDefinition = {
  metadata: { name: "widgets.{group}" },
  spec: {
    group: "{group}",
    scope: "Namespaced",
    names: { kind: "Widget", plural: "widgets", singular: "widget", listKind: "WidgetList" },
    versions: [{ name: "v1", served: true, storage: true, schema: { openAPIV3Schema: { type: "object" } } }],
  },
};
const widget = (name: string) =>
  post(widgets, { apiVersion: "{group}/v1", kind: "Widget", metadata: { name } });

/** Recorded with the feature gate ShardedListAndWatch. */
export const shards: readonly Story[] = [
  story("lists by UID", [
    make("a"),
    make("b", { app: "x" }),
    make("c"),
    list(all),
    list(none),
    list(halves[0].join(" || ")),
    list(
      `  (shardRange( object.metadata.uid ,"0x0000000000000000",'\\x30x8000000000000000'))||${halves[0][1]} `,
    ),
    list(`anything.${all}`),
    list(all, "&limit=1"),
    list(all, "&limit=2&continue={9.metadata.continue}"),
    list(all, "&limit=1&labelSelector=app%3Dx"),
    list(none, "&limit=1"),
    list(all, "&resourceVersion=0"),
    list(all, "", "application/json;as=Table;v=v1;g=meta.k8s.io"),
    list(all, "", "application/json;as=PartialObjectMetadataList;v=v1;g=meta.k8s.io"),
    get(`${cm}/a?shardSelector=nonsense`),
    get(`${cm}?shardSelector=&limit=3`),
  ]),
  story("lists by namespace", [
    inNamespace("default"),
    inNamespace("kube-public"),
    inNamespace("kube-system"),
    everywhere(halves[1][0], ofStory),
    everywhere(halves[1][1], ofStory),
    everywhere(halves[1].join(" || "), `${ofStory}&limit=2`),
    shardOf("/api/v1/namespaces")(halves[1][0], "&fieldSelector=metadata.name%3D{ns}"),
    shardOf("/api/v1/namespaces")(halves[1][1], "&fieldSelector=metadata.name%3D{ns}"),
    everywhere(halves[1][0], `${ofStory}&watch=1&timeoutSeconds=1`),
    everywhere(halves[1][1], `${ofStory}&watch=1&timeoutSeconds=1`),
    remove("/api/v1/namespaces/default/configmaps/{ns}"),
    remove("/api/v1/namespaces/kube-public/configmaps/{ns}"),
    remove("/api/v1/namespaces/kube-system/configmaps/{ns}"),
  ]),
  story("watches", [
    make("a"),
    make("b"),
    remove(`${cm}/a`),
    watch(all, "&resourceVersion={1.metadata.resourceVersion}"),
    watch(none, "&resourceVersion={1.metadata.resourceVersion}"),
    watch(all),
    watch(all, initial),
    watch(none, initial),
    watch("nonsense"),
    watch(all, "&labelSelector=app%3Dx"),
  ]),
  story(
    "custom resources",
    [
      widget("a"),
      widget("b"),
      shardOf(widgets)(all, ""),
      shardOf(widgets)(none, ""),
      shardOf(widgets)(all, "&limit=1"),
      shardOf(widgets)(none, "", "application/json;as=PartialObjectMetadataList;v=v1;g=meta.k8s.io"),
    ],
    [widgetDefinition],
  ),
  story("deletions of a collection", [
    make("a"),
    { ...list(none), method: "DELETE" },
    { ...list("nonsense"), method: "DELETE" },
    get(cm),
    { ...list(all), method: "DELETE" },
    get(cm),
  ]),
  story("errors", [
    list(" "),
    list("nonsense"),
    list("shardRange("),
    list("a b"),
    list("'0x"),
    list("true"),
    list("[]"),
    list("{}"),
    list("Shard{}"),
    list("object.metadata"),
    list("has(object.metadata)"),
    list("items.all(i, i)"),
    list(`${all} && ${all}`),
    list(`!${all}`),
    list(`${all} || true`),
    list(`${all} ? ${all} : ${all}`),
    list("shardRange()"),
    list("shardRange(object.metadata.uid, '0x0000000000000000')"),
    list(range("name", "0000000000000000", "8000000000000000")),
    list("shardRange(uid, '0x0000000000000000', '0x8000000000000000')"),
    list("shardRange(.object.metadata.uid, '0x0000000000000000', '0x8000000000000000')"),
    list("shardRange('uid', '0x0000000000000000', '0x8000000000000000')"),
    list("shardRange(object['metadata'].uid, '0x0000000000000000', '0x8000000000000000')"),
    list("shardRange(object.metadata.`uid`, '0x0000000000000000', '0x8000000000000000')"),
    list("shardRange(object.metadata.uid, 0, '0x8000000000000000')"),
    list("shardRange(object.metadata.uid, 0u, 1)"),
    list("shardRange(object.metadata.uid, 1.5, 1)"),
    list("shardRange(object.metadata.uid, null, 1)"),
    list("shardRange(object.metadata.uid, false, 1)"),
    list("shardRange(object.metadata.uid, b'0x', 1)"),
    list("shardRange(object.metadata.uid, x, 1)"),
    list("shardRange(object.metadata.uid, -x, 1)"),
    list("shardRange(object.metadata.uid, '0000000000000000', '0x8000000000000000')"),
    list(range("uid", "", "8000000000000000")),
    list(range("uid", "0", "8000000000000000")),
    list(range("uid", "0000000000000000", "80")),
    list(range("uid", "000000000000000G", "8000000000000000")),
    list(range("uid", "0000000000ü", "8000000000000000")),
    list(range("uid", "000000000000000000", "8000000000000000")),
    list(range("uid", "00000000000000000", "8000000000000000")),
    list(range("uid", "8000000000000000", "0000000000000000")),
    list(range("uid", "8000000000000000", "8000000000000000")),
    list(`${halves[0][0]} || ${halves[1][0]}`),
    list("nonsense", "&limit=x"),
    list("nonsense", "&labelSelector=%3D"),
    list("nonsense", "&resourceVersion=x"),
    list("nonsense", "&resourceVersionMatch=Exact"),
  ]),
];

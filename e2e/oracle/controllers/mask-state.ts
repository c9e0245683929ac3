import { compareText } from "@tsbuilder/apimachinery/text";
interface Item {
  readonly metadata: {
    readonly name: string;
    readonly generateName?: string;
    readonly annotations?: Readonly<Record<string, string>>;
    readonly [field: string]: unknown;
  };
  readonly spec?: Readonly<Record<string, unknown>>;
  readonly [field: string]: unknown;
}

const shownMetadata = ["labels", "annotations", "finalizers", "ownerReferences"];
const shownSpec = [
  "replicas",
  "suspend",
  "parallelism",
  "completions",
  "hostname",
  "volumes",
  "volumeName",
  "affinity",
  "tolerations",
  "claimRef",
];

/** Kinds whose generation, the number of intermediate updates, is masked. */
const rewritten = new Set(["EndpointSlice", "ReplicaSet"]);

/** Masks names, hashes, IDs and times of objects, and sorts them. */
export function maskState(lists: readonly { kind: string; items: object[] }[], namespace: string): unknown[] {
  return lists.flatMap(({ kind, items }) => {
    const mask = kind === "EventList" ? maskEvent : maskItem;
    const shown = (items as Item[])
      .filter((item) => isShown(kind, item, namespace))
      .map((item) => JSON.stringify(mask(kind.replace(/List$/, ""), item, namespace)));
    const distinct = kind === "EventList" ? [...new Set(shown)] : shown;
    return distinct.toSorted().map((text) => JSON.parse(text) as unknown);
  });
}

/** Outside of the namespace, only what has its name is shown; objects that each namespace has are hidden. */
function isShown(kind: string, item: Item, namespace: string): boolean {
  const { metadata, reason, message } = item;
  switch (kind) {
    case "PersistentVolumeList":
      return metadata.name.startsWith(namespace);
    case "NamespaceList":
      return metadata.name === namespace && metadata["deletionTimestamp"] !== undefined;
    case "ConfigMapList":
      return metadata.name !== "kube-root-ca.crt" || metadata["deletionTimestamp"] !== undefined;
    case "EventList":
      return (
        // The repair of addresses comes upon those that the real server is just about to allocate.
        !/^endpoint|^taint-eviction|^ipallocator-repair/.test(reporter(item)) &&
        // The real controller reports a job that it has just deleted itself as missing, if its cache is late.
        reason !== "MissingJob" &&
        !(message as string).includes("the object has been modified")
      );
    default:
      return true;
  }
}

/** The reporter of an Event: those of events.k8s.io have no source. */
function reporter({ source, reportingComponent }: Item): string {
  return (source as { component?: string }).component ?? (reportingComponent as string);
}

/** The count and the times of an Event are random. */
function maskEvent(kind: string, item: Item, namespace: string) {
  const { type, reason, message, involvedObject, action } = item;
  const about = (involvedObject as { kind: string }).kind;
  const component = reporter(item);
  // This Event prints the selector in Go syntax.
  const said = reason === "UnmanagedPods" ? {} : { message };
  return JSON.parse(
    maskText(JSON.stringify({ kind, about, component, type, reason, action, ...said }), namespace),
  ) as unknown;
}

function maskItem(kind: string, item: Item, namespace: string): unknown {
  const { metadata, spec = {}, apiVersion: _version, kind: _kind, ...rest } = item;
  const { generateName, name } = metadata;
  const shown = {
    kind,
    name: generateName === undefined ? name : `${generateName}{suffix}`,
    ...pick(metadata, shownMetadata),
    ...(!rewritten.has(kind) && { generation: metadata["generation"] }),
    ...(metadata.annotations && { annotations: withoutTrigger(metadata.annotations) }),
    ...(metadata["deletionTimestamp"] !== undefined && { deleting: true }),
    ...pick(spec, shownSpec),
    ...rest,
  };
  const masked = JSON.parse(maskText(JSON.stringify(sorted(shown)), namespace)) as Unordered;
  for (const { ports } of [masked, ...(masked.subsets ?? [])]) ports?.sort(byText);
  masked.endpoints?.sort(byText);
  masked.subsets?.sort(byText);
  return masked;
}

/** Lists that the real controllers sort by hashes. */
interface Unordered {
  readonly endpoints?: object[];
  readonly ports?: object[];
  readonly subsets?: { readonly ports?: object[] }[];
}

function byText(a: object, b: object): number {
  return JSON.stringify(a) < JSON.stringify(b) ? -1 : 1;
}

/** Sorts fields by name, so that equal objects have equal text; omits those that Go prints although they are empty. */
function sorted(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(sorted);
  if (typeof value !== "object" || value === null) return value;
  const fields = Object.entries(value).filter(([, field]) => field !== null);
  return Object.fromEntries(
    fields.toSorted(([a], [b]) => compareText(a, b)).map(([name, field]) => [name, sorted(field)]),
  );
}

/** The trigger time, which measures the latency of a load balancer, is masked. */
function withoutTrigger({
  "endpoints.kubernetes.io/last-change-trigger-time": _time,
  ...annotations
}: Readonly<Record<string, string>>): object | null {
  return Object.keys(annotations).length > 0 ? annotations : null;
}

function pick(from: Readonly<Record<string, unknown>>, fields: readonly string[]): object {
  return Object.fromEntries(Object.entries(from).filter(([field]) => fields.includes(field)));
}

function maskText(text: string, namespace: string): string {
  return (
    text
      .replaceAll(namespace, "{ns}")
      // The node on which a rollout starts is random, too.
      .replaceAll(/\{ns\}-node-\w/g, "{ns}-{node}")
      .replaceAll(/("kind":"ReplicaSet".*"observedGeneration":)\d+/g, '$1"{generation}"')
      // Which of these two reasons is the last one is random.
      .replaceAll(
        /"message":"(?:Created new replica set|ReplicaSet) [^,]*","reason":"(?:NewReplicaSetCreated|ReplicaSetUpdated)"/g,
        '"reason":"{under way}"',
      )
      .replaceAll("(combined from similar events): ", "")
      // A rollout may take two steps at once on one server, and one after the other on the other.
      .replaceAll(/(Scaled (?:up|down) .* )from \d+ to \d+/g, "$1from {count} to {count}")
      .replaceAll(/("resourceVersion":)"\d+"/g, '$1"{revision}"')
      .replaceAll(/"10\.1\.0\.\d+"/g, '"{ip}"')
      .replaceAll(/[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}/g, "{uid}")
      .replaceAll(/\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?(Z|(?=\+))/g, "{time}")
      .replaceAll(/("[\w.-]*(?:-|\/)hash":")([^"]+-)?[^"-]+"/g, '$1$2{hash}"')
      .replaceAll(
        /-[bcdf0-9ghjklmnpqrstvwxz]{6,10}(-[bcdfghjklmnpqrstvwxz2456789]{5})?(?=["\\ ,-])/g,
        "-{hash}",
      )
      .replaceAll(/-[bcdfghjklmnpqrstvwxz2456789]{5}(?=["\\ ])/g, "-{suffix}")
  );
}

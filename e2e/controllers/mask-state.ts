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
const shownSpec = ["replicas", "suspend", "parallelism", "completions", "hostname", "volumes", "volumeName"];

/** Kinds of which it tells nothing how often they were rewritten on the way. */
const rewritten = new Set(["EndpointSlice", "ReplicaSet"]);

/** Brings objects into a form that doesn't depend on names, hashes, ids and times, in an order of its own. */
export function maskState(lists: readonly { kind: string; items: object[] }[], namespace: string): unknown[] {
  return lists.flatMap(({ kind, items }) =>
    (items as Item[])
      .map((item) => maskItem(kind.replace(/List$/, ""), item, namespace))
      .toSorted((a, b) => (JSON.stringify(a) < JSON.stringify(b) ? -1 : 1)),
  );
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
  const masked = JSON.parse(maskText(JSON.stringify(sorted(shown)), namespace)) as { endpoints?: object[] };
  masked.endpoints?.sort((a, b) => (JSON.stringify(a) < JSON.stringify(b) ? -1 : 1));
  return masked;
}

/** Fields by name, so that equal objects are equal text; without those that Go prints although they hold nothing. */
function sorted(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(sorted);
  if (typeof value !== "object" || value === null) return value;
  const fields = Object.entries(value).filter(([, field]) => field !== null);
  return Object.fromEntries(
    fields.toSorted(([a], [b]) => (a < b ? -1 : 1)).map(([name, field]) => [name, sorted(field)]),
  );
}

/** What tells a load balancer how stale a slice is, is of no use where there is none. */
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
      .replaceAll(/("kind":"ReplicaSet".*"observedGeneration":)\d+/g, '$1"{generation}"')
      // Which of the two a rollout has got to say last is a matter of luck.
      .replaceAll(
        /"message":"(?:Created new replica set|ReplicaSet) [^,]*","reason":"(?:NewReplicaSetCreated|ReplicaSetUpdated)"/g,
        '"reason":"{under way}"',
      )
      .replaceAll(/"10\.1\.0\.\d+"/g, '"{ip}"')
      .replaceAll(/[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}/g, "{uid}")
      .replaceAll(/\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?Z/g, "{time}")
      .replaceAll(/("[\w.-]*(?:-|\/)hash":")([^"]+-)?[^"-]+"/g, '$1$2{hash}"')
      .replaceAll(
        /-[bcdf0-9ghjklmnpqrstvwxz]{6,10}(-[bcdfghjklmnpqrstvwxz2456789]{5})?(?=["\\ -])/g,
        "-{hash}",
      )
      .replaceAll(/-[bcdfghjklmnpqrstvwxz2456789]{5}(?=["\\ ])/g, "-{suffix}")
  );
}

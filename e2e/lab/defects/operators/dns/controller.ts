import {
  type Context,
  generationChanged,
  type Manager,
  type NamespacedName,
  type Result,
  setCondition,
  type Stored,
} from "@tsbuilder/runtime";
import { HostRecord } from "./types.ts";

// +kubebuilder:rbac:groups=dns.example.com,resources=hostrecords,verbs=get;list;watch;patch;update
// +kubebuilder:rbac:groups=dns.example.com,resources=hostrecords/status,verbs=patch
// +kubebuilder:rbac:groups=dns.example.com,resources=hostrecords/finalizers,verbs=update
// +kubebuilder:rbac:groups=events.k8s.io,resources=events,verbs=create;patch

const provider = "http://dns.example.com";

/** The records of a host at the provider. It chooses the ids, and allows several records of one host. */
interface Entry {
  readonly id: string;
  readonly host: string;
  readonly addresses: readonly string[];
  readonly ttl: number;
  /** A comment that nobody else uses: the uid of the HostRecord that the record was made for. */
  readonly owner?: string;
}

interface Page {
  readonly records: readonly Entry[];
  readonly next?: string;
}

/** The provider wants fewer calls. */
class RateLimitedError extends Error {
  readonly seconds: number;

  constructor(response: Response) {
    super("the provider limits the rate of calls");
    this.seconds = Number(response.headers.get("Retry-After")) || 5;
  }
}

/** Keeps a record for the oldest HostRecord of each host, and none for the others. */
export function setup(manager: Manager): void {
  const { client, cache, clock } = manager;
  cache.addIndex(HostRecord, "spec.host", ({ spec }) => [spec.host]);
  manager
    .controllerFor(HostRecord)
    // Objects that wait for a host are reconciled when another one gives it up, by a change or by its deletion.
    .watches(HostRecord, requestsFor, { predicates: [generationChanged] })
    .finalizer("dns.example.com/record", async ({ metadata }, context) =>
      patiently(async () => {
        for (const { id } of await recordsOf(metadata.uid, context)) await call("DELETE", id, context);
      }),
    )
    .complete({ reconcile: (request, context) => patiently(() => reconcile(request, context)) });

  async function requestsFor({ spec }: Stored<HostRecord>): Promise<NamespacedName[]> {
    const sharers = await client.list(HostRecord, { fields: { "spec.host": spec.host } });
    return sharers.map(({ metadata: { namespace, name } }) => ({ namespace, name }));
  }

  async function reconcile(request: NamespacedName, context: Context): Promise<Result> {
    const record = await client.find(HostRecord, request);
    if (!record) return;
    const { spec, metadata } = record;
    const uid = metadata.uid;
    // One that is being deleted holds its host until its record is gone.
    const sharers = await client.list(HostRecord, { fields: { "spec.host": spec.host } });
    const [holder = record] = [...sharers].sort(byAge);
    const isHolder = holder.metadata.uid === uid;

    const own = await recordsOf(uid, context);
    const kept = isHolder ? own.find(({ host }) => host === spec.host) : undefined;
    for (const entry of own) if (entry !== kept) await call("DELETE", entry.id, context);

    const desired = { addresses: [...spec.addresses].sort(), ttl: spec.ttlSeconds ?? 300 };
    if (isHolder && !kept) {
      // The cache may be older than the cleanup, and nobody would delete what is made now.
      const current = await client.find(HostRecord, request, { live: true });
      if (!current || current.metadata.uid !== uid || current.metadata.deletionTimestamp) return;
      await call("POST", "", context, { host: spec.host, owner: uid, ...desired });
    } else if (kept && !isAs(kept, desired)) {
      await call("PATCH", kept.id, context, desired);
    }
    await report(record, keyOf(holder), isHolder);
    // The loser has nothing at the provider that could change.
    if (isHolder) return { requeueAfter: "10m" };
  }

  async function report(record: Stored<HostRecord>, holder: string, isHolder: boolean): Promise<void> {
    const ready = isHolder
      ? ({ type: "Ready", status: "True", reason: "Published", message: "" } as const)
      : ({ type: "Ready", status: "False", reason: "HostTaken", message: `${holder} is older` } as const);
    await client.patchStatus(HostRecord, record, {
      observedGeneration: record.metadata.generation!,
      holder,
      conditions: setCondition(record.status?.conditions, ready, clock),
    });
  }
}

/** Oldest first. Of those of the same second, the names decide. */
function byAge(a: Stored<HostRecord>, b: Stored<HostRecord>): number {
  const age = Date.parse(a.metadata.creationTimestamp) - Date.parse(b.metadata.creationTimestamp);
  return age || (keyOf(a) < keyOf(b) ? -1 : 1);
}

function keyOf({ metadata }: Stored<HostRecord>): string {
  return `${metadata.namespace}/${metadata.name}`;
}

function isAs(entry: Entry, { addresses, ttl }: Pick<Entry, "addresses" | "ttl">): boolean {
  return entry.ttl === ttl && [...entry.addresses].sort().join() === addresses.join();
}

/** Waits as long as the provider says when it limits the rate, which is no error. */
async function patiently(work: () => Promise<Result>): Promise<Result> {
  try {
    return await work();
  } catch (error) {
    if (!(error instanceof RateLimitedError)) throw error;
    return { requeueAfter: `${error.seconds}s` };
  }
}

/** Finds the records of a HostRecord in all pages, by their owner: their ids are noted nowhere. */
async function recordsOf(uid: string, context: Context): Promise<Entry[]> {
  const own: Entry[] = [];
  let after = "";
  for (;;) {
    const { records, next } = (await call("GET", `?after=${after}`, context)) as Page;
    own.push(...records.filter(({ owner }) => owner === uid));
    if (next === undefined) return own;
    after = next;
  }
}

/** Calls the provider. What is to be deleted may be gone. */
async function call(method: string, path: string, { signal }: Context, body?: object): Promise<unknown> {
  const response = await fetch(`${provider}/records/${path}`, {
    method,
    signal,
    ...(body && { body: JSON.stringify(body) }),
  });
  if (response.status === 429) throw new RateLimitedError(response);
  if (!response.ok && !(method === "DELETE" && response.status === 404))
    throw new Error(`${method} /records/${path} was answered with ${response.status}`);
  return response.json();
}

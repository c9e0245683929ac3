import { createHash } from "node:crypto";
import {
  type Context,
  cronTimes,
  type Desired,
  findController,
  formatTime,
  type Manager,
  type NamespacedName,
  parseTime,
  type ReadOptions,
  setCondition,
  type Stored,
} from "@tsbuilder/runtime";
import { Job } from "@tsbuilder/runtime/k8s/batch/v1";
import { Backup } from "./types.ts";

// +kubebuilder:rbac:groups=backup.example.com,resources=backups,verbs=get;list;watch;patch;update
// +kubebuilder:rbac:groups=backup.example.com,resources=backups/status,verbs=patch
// +kubebuilder:rbac:groups=backup.example.com,resources=backups/finalizers,verbs=update
// +kubebuilder:rbac:groups=batch,resources=jobs,verbs=get;list;watch;create;patch;delete
// +kubebuilder:rbac:groups=events.k8s.io,resources=events,verbs=create;patch

const store = "http://store.example.com";
/** Says of a Job that what it uploaded is in the store's list of copies. */
const published = "backup.example.com/published";
const month = 30 * 86_400_000;

/** The present and the desired state of a Backup. Times are milliseconds since 1970. */
interface View {
  readonly backup: Stored<Backup>;
  /** Newest first, as the keys of the copies are. */
  readonly jobs: readonly Stored<Job>[];
  readonly copies: readonly string[];
  readonly plan: { last: number; due?: number | undefined; next?: number; reason: string; message: string };
}

/** Starts a Job for each run, publishes what it uploaded once it is complete, and keeps the newest Jobs and copies. */
export function setup(manager: Manager): void {
  const { client, clock } = manager;
  manager
    .controllerFor(Backup)
    .owns(Job)
    .finalizer("backup.example.com/copies", async (backup, context) => {
      for (const key of await copiesOf(backup, context)) await call("DELETE", `copies/${key}`, context);
    })
    .complete({
      async reconcile(request, context) {
        let view = await look(request, context);
        // The cache may be older than a deletion, than the Jobs that another process started, or than the limits.
        if (view && isToDo(view)) view = await look(request, context, { live: true });
        if (!view) return;
        const { backup, jobs, plan } = view;
        const { keepCopies = 5, jobsHistoryLimit = 3 } = backup.spec;
        if (plan.due !== undefined) await client.create(Job, jobFor(backup, plan.due), { owner: backup });
        const added: string[] = [];
        for (const job of jobs.filter(isUnpublished)) {
          const { name } = job.metadata;
          const key = `${folderOf(backup)}${name.slice(-12)}`;
          await call("PUT", `copies/${key}`, context, { backup: backup.metadata.uid, job: name });
          await client.patch(Job, job, ({ metadata }) => {
            metadata.annotations = { ...metadata.annotations, [published]: "true" };
          });
          added.push(key);
        }
        const copies = [...new Set([...view.copies, ...added])].sort().toReversed();
        for (const key of copies.slice(keepCopies)) await call("DELETE", `copies/${key}`, context);
        for (const { metadata } of jobs.filter(isDone).slice(jobsHistoryLimit)) {
          const preconditions = { uid: metadata.uid };
          await client.delete(Job, { metadata }, { preconditions, propagationPolicy: "Background" });
        }
        await report(view);
        const { next = Infinity } = plan;
        // The store sends no events: it is looked at from time to time.
        return { requeueAfter: `${Math.max(1, Math.min(Math.ceil(next - clock.now()), 600_000))}ms` };
      },
    });

  async function look(
    request: NamespacedName,
    context: Context,
    options?: ReadOptions,
  ): Promise<View | undefined> {
    const backup = await client.find(Backup, request, options);
    if (!backup || backup.metadata.deletionTimestamp) return undefined;
    const all = await client.list(Job, { namespace: request.namespace, ...options });
    const jobs = all
      .filter((job) => findController(job)?.uid === backup.metadata.uid)
      .sort((a, b) => timeIn(b.metadata.name) - timeIn(a.metadata.name));
    const found = { backup, jobs, copies: await copiesOf(backup, context) };
    return { ...found, plan: planFor(found, clock.now()) };
  }

  async function report({ backup, plan: { last, next, reason, message } }: View): Promise<void> {
    const status = reason === "Scheduled" ? "True" : "False";
    const ready = { type: "Ready", status, reason, message } as const;
    await client.patchStatus(Backup, backup, {
      observedGeneration: backup.metadata.generation!,
      ...(last > 0 && { lastRun: formatTime(last) }),
      ...(next !== undefined && { nextRun: formatTime(next) }),
      conditions: setCondition(backup.status?.conditions, ready, clock),
    });
  }
}

function planFor({ backup, jobs, copies }: Omit<View, "plan">, now: number): View["plan"] {
  const { metadata, spec } = backup;
  // Which runs have been is said by what they left, since the newest Job and the newest copy are always kept.
  const last = Math.max(0, ...jobs.map((job) => timeIn(job.metadata.name)), ...copies.map(timeIn));
  if (spec.suspend) return { last, reason: "Suspended", message: "spec.suspend is true" };
  try {
    const after = cronTimes(spec.schedule);
    let due: number | undefined;
    // Only the last one of the missed runs is started late.
    const since = Math.max(last, parseTime(metadata.creationTimestamp), now - month);
    for (let time = after(since); time <= now; time = after(time)) due = time;
    const deadline = (spec.startingDeadlineSeconds ?? Infinity) * 1000;
    if (due !== undefined && now - due > deadline) due = undefined;
    const next = after(Math.max(last, now));
    return { last: due ?? last, due, next, reason: "Scheduled", message: "" };
  } catch (error) {
    return { last, reason: "InvalidSchedule", message: (error as Error).message };
  }
}

/** A Job is named by its run, so that none has two; the name of its Backup may be too long for one of a Job. */
function jobFor(backup: Stored<Backup>, time: number): Desired<Job> {
  const { name, uid } = backup.metadata;
  const digits = formatTime(time).replace(/\D/g, "").slice(0, 12);
  const hash = createHash("sha256").update(uid).digest("hex").slice(0, 8);
  const args = [backup.spec.database, `${store}/uploads/${folderOf(backup)}${digits}`];
  const containers = [{ name: "dump", image: "registry.example.com/dump:3.2", args }];
  return {
    metadata: { name: `${name.slice(0, 40).replace(/[.-]+$/, "")}-${hash}-${digits}` },
    spec: { backoffLimit: 2, template: { spec: { restartPolicy: "Never", containers } } },
  };
}

/** Returns true if something is to be started, published or deleted. */
function isToDo({ backup: { spec }, jobs, copies, plan }: View): boolean {
  const { keepCopies = 5, jobsHistoryLimit = 3 } = spec;
  const isTooMuch = copies.length > keepCopies || jobs.filter(isDone).length > jobsHistoryLimit;
  return plan.due !== undefined || isTooMuch || jobs.some(isUnpublished);
}

function isUnpublished(job: Stored<Job>): boolean {
  return has(job, "Complete") && job.metadata.annotations?.[published] === undefined;
}

function isDone(job: Stored<Job>): boolean {
  return has(job, "Failed") || (has(job, "Complete") && !isUnpublished(job));
}

function has({ status }: Stored<Job>, end: "Complete" | "Failed"): boolean {
  return status?.conditions?.some((one) => one.type === end && one.status === "True") ?? false;
}

/** The time of a run: the names of its Job and its copy end with it, as in `shop-203001010300`. */
function timeIn(text: string): number {
  const [, year, ...rest] = /(\d{4})(\d\d)(\d\d)(\d\d)(\d\d)$/.exec(text)?.map(Number) ?? [];
  return year === undefined ? 0 : Date.UTC(year, rest[0]! - 1, rest[1], rest[2], rest[3]);
}

/** People who restore a copy look for namespace and name. The uid tells Backups of one name apart. */
function folderOf({ metadata: { namespace, name, uid } }: Stored<Backup>): string {
  return `${namespace}/${name}/${uid}/`;
}

async function copiesOf(backup: Stored<Backup>, context: Context): Promise<string[]> {
  const answer = await call("GET", `copies?prefix=${encodeURIComponent(folderOf(backup))}`, context);
  return (answer as { readonly keys: string[] }).keys.sort().toReversed();
}

/** Calls the store. What is to be deleted may be gone. */
async function call(method: string, path: string, { signal }: Context, body?: object): Promise<unknown> {
  const response = await fetch(`${store}/${path}`, {
    method,
    signal,
    ...(body && { body: JSON.stringify(body) }),
  });
  if (!response.ok && !(method === "DELETE" && response.status === 404))
    throw new Error(`${method} ${path} was answered with ${response.status}`);
  return response.json();
}

import { FakeClock } from "@tsbuilder/apimachinery/time";
import { controllerNames } from "@tsbuilder/cluster";
import { startTestCluster } from "@tsbuilder/cluster/testing";
import * as fc from "fast-check";
import { expect, test } from "vitest";
import { send } from "../testing/send.ts";

// Controllers must not answer each other's writes for ever: a clock that a test moves would stand still, and a real
// machine would be busy without end.

/** The writes that the controllers may need within a second: a whole case has about thirty objects. */
const most = 300;

const kinds = ["Deployment", "ReplicaSet", "StatefulSet", "DaemonSet", "Job", "CronJob"] as const;
type WorkloadKind = (typeof kinds)[number];
const groups: Readonly<Record<WorkloadKind, string>> = {
  Deployment: "apps",
  ReplicaSet: "apps",
  StatefulSet: "apps",
  DaemonSet: "apps",
  Job: "batch",
  CronJob: "batch",
};
const collection = (kind: WorkloadKind): string =>
  `/apis/${groups[kind]}/v1/namespaces/default/${kind.toLowerCase()}s`;

/** Few names and one selector for each kind, so that a new object finds the dependents of one that is being deleted. */
const names = fc.constantFrom("a", "b");
const kind = fc.constantFrom(...kinds);

type Step =
  | {
      readonly type: "put";
      readonly kind: WorkloadKind;
      readonly name: string;
      readonly replicas: number;
      readonly template: number;
    }
  | {
      readonly type: "delete";
      readonly kind: WorkloadKind;
      readonly name: string;
      readonly propagationPolicy: string;
    }
  | { readonly type: "orphan"; readonly of: string; readonly at: number; readonly copies: boolean }
  | { readonly type: "wait"; readonly seconds: number };

const step: fc.Arbitrary<Step> = fc.oneof(
  {
    weight: 4,
    arbitrary: fc.record({
      type: fc.constant("put" as const),
      kind,
      name: names,
      replicas: fc.nat(2),
      template: fc.nat(1),
    }),
  },
  {
    weight: 3,
    arbitrary: fc.record({
      type: fc.constant("delete" as const),
      kind,
      name: names,
      propagationPolicy: fc.constantFrom("Orphan", "Background", "Foreground"),
    }),
  },
  {
    weight: 2,
    arbitrary: fc.record({
      type: fc.constant("orphan" as const),
      of: fc.constantFrom(
        "apps/v1/controllerrevisions",
        "apps/v1/replicasets",
        "batch/v1/jobs",
        "core/v1/pods",
      ),
      at: fc.nat(9),
      copies: fc.boolean(),
    }),
  },
  {
    weight: 2,
    arbitrary: fc.record({ type: fc.constant("wait" as const), seconds: fc.constantFrom(0, 1, 90) }),
  },
);

interface Listed {
  readonly metadata: { readonly name: string; readonly labels?: object };
}

/** Objects of one kind have one selector, whatever their names. */
function workload({ kind, name, replicas, template }: Extract<Step, { type: "put" }>): object {
  const labels = { app: kind };
  const pods = {
    metadata: { labels },
    spec: {
      containers: [{ name: "main", image: `image:${template}` }],
      ...(groups[kind] === "batch" && { restartPolicy: "Never" }),
    },
  };
  const selector = { matchLabels: labels };
  const specs: Readonly<Record<WorkloadKind, object>> = {
    Deployment: { replicas, selector, template: pods },
    ReplicaSet: { replicas, selector, template: pods },
    StatefulSet: { replicas, selector, template: pods, serviceName: "none" },
    DaemonSet: { selector, template: pods },
    Job: { parallelism: replicas, completions: replicas, template: pods },
    CronJob: { schedule: "* * * * *", jobTemplate: { spec: { template: pods } } },
  };
  return { apiVersion: `${groups[kind]}/v1`, kind, metadata: { name }, spec: specs[kind] };
}

test("controllers come to rest after each change of workloads that share names, selectors and what others left", async () => {
  const property = fc.asyncProperty(fc.array(step, { minLength: 4, maxLength: 16 }), async (steps) => {
    const clock = new FakeClock();
    const errors: unknown[] = [];
    const cluster = await startTestCluster({
      clock,
      connectionClock: new FakeClock(),
      controllers: controllerNames,
      onError: (error) => errors.push(error),
    });
    const { store } = cluster.core;
    const ask = (method: string, path: string, body?: object, type = "application/json") =>
      send(cluster.kubeconfig, { method, path, body, headers: { "Content-Type": type } });
    /** Removes the owner of an object, or creates a copy of it without an owner. */
    const orphan = async ({ of, at, copies }: Extract<Step, { type: "orphan" }>): Promise<void> => {
      const [group, version, plural] = of.split("/");
      const path = `${group === "core" ? "/api" : `/apis/${group}`}/${version}/namespaces/default/${plural}`;
      const { items } = (await ask("GET", path)).body as { items: Listed[] };
      const found = items[at % Math.max(1, items.length)];
      if (!found) return;
      const { name, labels } = found.metadata;
      const metadata = { name: `${name}-copy`, labels };
      const body = { metadata: { ownerReferences: null } };
      if (copies) await ask("POST", path, { ...found, metadata, status: undefined });
      else await ask("PATCH", `${path}/${name}`, body, "application/merge-patch+json");
    };
    /** Moves the clock. `advance()` never resolves if controllers don't come to rest, so their writes are counted meanwhile. */
    const rest = async (seconds: number): Promise<void> => {
      for (let second = 0; second <= seconds; second++) {
        const since = store.revision;
        await new Promise<void>((resolve, reject) => {
          const look = setInterval(() => {
            if (store.revision - since > most) reject(new Error(`more than ${most} writes within a second`));
          }, 20);
          void clock
            .advance(second === 0 ? 0 : 1000)
            .then(resolve, reject)
            .finally(() => clearInterval(look));
        });
      }
    };
    try {
      for (const one of steps) {
        if (one.type === "put") {
          const made = await ask("POST", collection(one.kind), workload(one));
          // Some changes are invalid, such as that of a Job's template: a refusal is as good as a change.
          if (made.code === 409)
            await ask(
              "PATCH",
              `${collection(one.kind)}/${one.name}`,
              workload(one),
              "application/merge-patch+json",
            );
        } else if (one.type === "delete") {
          const { propagationPolicy } = one;
          await ask("DELETE", `${collection(one.kind)}/${one.name}`, { propagationPolicy });
        } else if (one.type === "orphan") {
          await orphan(one);
        }
        // Steps that follow without a wait meet controllers at work.
        if (one.type === "wait") await rest(one.seconds);
      }
      await rest(200);
      expect(errors).toEqual([]);
    } finally {
      await cluster.stop();
    }
  });
  // A StatefulSet with two revisions of its template made each the newest in turn, for ever.
  const copied: Step[] = [
    { type: "put", kind: "StatefulSet", name: "a", replicas: 1, template: 0 },
    { type: "orphan", of: "apps/v1/controllerrevisions", at: 0, copies: true },
    { type: "orphan", of: "core/v1/pods", at: 0, copies: false },
    { type: "orphan", of: "apps/v1/controllerrevisions", at: 0, copies: false },
  ];
  const numRuns = Math.ceil(fc.readConfigureGlobal().numRuns! / 20);
  await fc.assert(property, { numRuns, examples: [[copied]] });
});

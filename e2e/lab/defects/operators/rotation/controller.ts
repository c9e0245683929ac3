import { createHash, randomBytes } from "node:crypto";
import {
  Children,
  type Context,
  findController,
  type Manager,
  type ObjectKey,
  setCondition,
  type Stored,
} from "@tsbuilder/runtime";
import { Deployment } from "@tsbuilder/runtime/k8s/apps/v1";
import { Secret } from "@tsbuilder/runtime/k8s/core/v1";
import { Pooler } from "./types.ts";

// +kubebuilder:rbac:groups=db.example.com,resources=poolers,verbs=get;list;watch;patch;update
// +kubebuilder:rbac:groups=db.example.com,resources=poolers/status,verbs=patch
// +kubebuilder:rbac:groups=db.example.com,resources=poolers/finalizers,verbs=update
// +kubebuilder:rbac:groups="",resources=secrets,verbs=get;list;watch;create;patch
// +kubebuilder:rbac:groups=apps,resources=deployments,verbs=get;list;watch;create;patch
// +kubebuilder:rbac:groups=events.k8s.io,resources=events,verbs=create;patch

const accounts = "http://db.example.com/accounts";
const rotate = "db.example.com/rotate";
const rotatedAt = "db.example.com/rotated-at";
const hash = "db.example.com/password-hash";
const day = 86_400_000;

/** Replaces the password of a pooler in time. The former one stays valid until all pods have the new one. */
export function setup(manager: Manager): void {
  const { client, clock } = manager;
  manager
    .controllerFor(Pooler)
    .owns(Secret)
    .owns(Deployment)
    .finalizer("db.example.com/account", async ({ metadata }, context) => {
      await ask("DELETE", metadata.uid, context);
    })
    .complete({
      async reconcile(request, context) {
        const pooler = await client.find(Pooler, request);
        if (!pooler) return;
        const { spec, metadata } = pooler;
        const key = { namespace: request.namespace, name: `${request.name}-password` };
        let secret = (await client.find(Secret, key)) ?? (await client.find(Secret, key, { live: true }));
        if (secret && findController(secret)?.uid !== metadata.uid) {
          await report(pooler, "False", "NameConflict", `the Secret ${key.name} belongs to somebody else`);
          return { requeueAfter: "15s" };
        }
        const asked = metadata.annotations?.[rotate];
        const isAsked = asked !== undefined && asked !== secret?.metadata.annotations?.[rotate];
        const isDue = !passwordOf(secret) || isAsked || clock.now() >= endOf(secret, spec);
        if (isDue) secret = await renew(pooler, key, secret);
        const password = passwordOf(secret);
        const digest = digestOf(password);

        // Pods may have a password that the Secret no longer has: what the server knows stays until none of them does.
        const children = new Children(client, pooler, { clock });
        const isRolledOut = hasRolledOut(await children.find(Deployment, request.name), digest);
        const account = await ask<Account>("GET", metadata.uid, context);
        const known = account ? account.digests : [];
        const valid = [digest, ...(isRolledOut ? [] : known.filter((former) => former !== digest))];
        if (known.join() !== valid.join()) {
          // The cache may be older than a cleanup, or than the password that the pods get.
          const current = await client.find(Pooler, request, { live: true });
          if (!current || current.metadata.uid !== metadata.uid || current.metadata.deletionTimestamp) return;
          const stored = await client.find(Secret, key, { live: true });
          if (passwordOf(stored) !== password) return { requeueAfter: "1s" };
          await ask("PUT", metadata.uid, context, { digests: valid });
        }

        // Not before the server knows the password: pods that start now log in with it.
        const deployment = await children.set(
          Deployment,
          request.name,
          deploymentFor(pooler, key.name, digest),
        );
        const [rejection] = children.rejections;
        const isReady = !rejection && hasRolledOut(deployment, digest);
        const reason = rejection?.reason ?? (isReady ? "RolledOut" : "RollingOut");
        const ready = await report(pooler, isReady ? "True" : "False", reason, rejection?.message ?? "");
        const left = Math.max(Math.ceil(endOf(secret, spec) - clock.now()), 1000);
        return children.result(ready) ?? { requeueAfter: `${left}ms` };
      },
    });

  async function renew(
    pooler: Stored<Pooler>,
    key: ObjectKey,
    secret: Stored<Secret> | undefined,
  ): Promise<Stored<Secret>> {
    const annotations = {
      [rotate]: pooler.metadata.annotations?.[rotate] ?? "",
      [rotatedAt]: new Date(clock.now()).toISOString(),
    };
    const data = { password: randomBytes(24).toString("base64") };
    // Never an apply: it would replace a password that the cache doesn't show yet.
    if (!secret) return client.create(Secret, { metadata: { ...key, annotations }, data }, { owner: pooler });
    return client.patch(Secret, secret, (draft) => {
      draft.metadata.annotations = { ...draft.metadata.annotations, ...annotations };
      draft.data = data;
    });
  }

  async function report(pooler: Stored<Pooler>, status: "True" | "False", reason: string, message: string) {
    const { generation } = pooler.metadata;
    const ready = { type: "Ready", status, reason, message, observedGeneration: generation } as const;
    const conditions = setCondition(pooler.status?.conditions, ready, clock);
    const secret = `${pooler.metadata.name}-password`;
    await client.patchStatus(Pooler, pooler, { observedGeneration: generation, secret, conditions });
    return conditions.find(({ type }) => type === "Ready");
  }
}

function passwordOf(secret: Stored<Secret> | undefined): string {
  return secret?.data?.["password"] ?? "";
}

function digestOf(password: string): string {
  return createHash("sha256").update(password).digest("hex");
}

/** Returns when the password is to be replaced, in milliseconds since 1970. */
function endOf(secret: Stored<Secret> | undefined, spec: Stored<Pooler>["spec"]): number {
  const since = Date.parse(secret?.metadata.annotations?.[rotatedAt] ?? "") || 0;
  return since + (spec.rotateAfterDays ?? 30) * day;
}

/** Returns true if all pods of the Deployment have this password. */
function hasRolledOut(deployment: Stored<Deployment> | undefined, digest: string): boolean {
  const { metadata, spec, status } = deployment ?? {};
  if (spec?.template.metadata?.annotations?.[hash] !== digest) return false;
  if ((status?.observedGeneration ?? 0) < metadata!.generation!) return false;
  const { replicas = 0, updatedReplicas = 0, availableReplicas = 0 } = status ?? {};
  return updatedReplicas === spec.replicas && replicas === updatedReplicas && availableReplicas === replicas;
}

function deploymentFor({ metadata, spec }: Stored<Pooler>, secret: string, digest: string) {
  const labels = { "app.kubernetes.io/name": "pooler", "db.example.com/pooler": metadata.uid };
  const password = { name: "PASSWORD", valueFrom: { secretKeyRef: { name: secret, key: "password" } } };
  return {
    metadata: { labels },
    spec: {
      replicas: spec.replicas ?? 2,
      selector: { matchLabels: labels },
      template: {
        metadata: { labels, annotations: { [hash]: digest } },
        spec: { containers: [{ name: "pooler", image: spec.image, env: [password] }] },
      },
    },
  };
}

/** An account of the server: the hashes of its passwords, all of which are valid. */
interface Account {
  readonly digests: readonly string[];
}

/** Calls the server. Undefined says that there is no such account. */
async function ask<Answer>(
  method: string,
  id: string,
  { signal }: Context,
  body?: object,
): Promise<Answer | undefined> {
  const response = await fetch(`${accounts}/${id}`, {
    method,
    signal,
    ...(body && { body: JSON.stringify(body) }),
  });
  if (response.status === 404) return undefined;
  if (!response.ok) throw new Error(`${method} of the account was answered with ${response.status}`);
  return (await response.json()) as Answer;
}

import { type Context, type Manager, setCondition } from "@tsbuilder/runtime";
import { ConfigMap } from "@tsbuilder/runtime/k8s/core/v1";
import { Bucket } from "./types.ts";

// +kubebuilder:rbac:groups=store.example.com,resources=buckets,verbs=get;list;watch;patch;update
// +kubebuilder:rbac:groups=store.example.com,resources=buckets/status,verbs=patch
// +kubebuilder:rbac:groups=store.example.com,resources=buckets/finalizers,verbs=update
// +kubebuilder:rbac:groups="",resources=configmaps,verbs=get;list;watch;create;patch
// +kubebuilder:rbac:groups=events.k8s.io,resources=events,verbs=create;patch

const store = "http://store.example.com/buckets";

export function setup(manager: Manager): void {
  const { client } = manager;
  manager
    .controllerFor(Bucket)
    .owns(ConfigMap)
    .finalizer("store.example.com/bucket", async (bucket, context) => {
      await call("DELETE", bucket.metadata.uid, context, { none: 404 });
    })
    .complete({
      async reconcile(request, context) {
        const bucket = await client.find(Bucket, request);
        if (!bucket) return;
        const { spec, metadata, status = {} } = bucket;
        const id = metadata.uid;
        const settings = { region: spec.region ?? "eu", expireAfterDays: spec.expireAfterDays ?? null };
        const present = await call("GET", id, context, { none: 404 });
        if (!present) {
          // The cache may be older than the cleanup: what is made now would stay for ever.
          const current = await client.find(Bucket, request, { live: true });
          if (!current || current.metadata.uid !== metadata.uid || current.metadata.deletionTimestamp) return;
          await call("PUT", id, context, { body: settings });
        } else if (present["expireAfterDays"] !== settings.expireAfterDays) {
          await call("PATCH", id, context, { body: { expireAfterDays: settings.expireAfterDays } });
        }
        const url = `${store}/${id}`;
        const data = { url, ...(spec.expireAfterDays && { expiry: `${spec.expireAfterDays}d` }) };
        await client.apply(ConfigMap, { metadata: request, data }, { owner: bucket });
        const ready = { type: "Ready", status: "True", reason: "Created", message: "" } as const;
        await client.patchStatus(Bucket, bucket, {
          observedGeneration: metadata.generation!,
          url,
          conditions: setCondition(status.conditions ?? [], ready),
        });
        return { requeueAfter: "10m" };
      },
    });
}

/** Calls the store. An answer that is an error throws, but for the one that says that there is none. */
async function call(
  method: string,
  id: string,
  { signal }: Context,
  { body, none }: { body?: object; none?: number },
): Promise<Record<string, unknown> | undefined> {
  const response = await fetch(`${store}/${id}`, {
    method,
    signal,
    ...(body && { body: JSON.stringify(body) }),
  });
  if (response.status === none) return undefined;
  if (!response.ok) throw new Error(`${method} of the bucket was answered with ${response.status}`);
  return (await response.json()) as Record<string, unknown>;
}

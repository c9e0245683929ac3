import { type Client, type CustomResource, defineKind } from "@tsbuilder/runtime";

/** Its controller copies one number from the spec to the status. */
export interface Counter extends CustomResource<{ count: number }, { count?: number }> {}
export const Counter = defineKind<Counter>(
  { group: "bench.example.com", version: "v1" },
  { kind: "Counter", plural: "counters" },
);
export const namespace = "default";

export function nameOf(index: number): string {
  return `counter-${index}`;
}

/** Creates the CRD and a number of objects in each namespace. */
export async function prepareCounters(
  client: Client,
  objects: number,
  namespaces: readonly string[] = [namespace],
): Promise<void> {
  const definitions = defineKind<CustomResource<object>>(
    { group: "apiextensions.k8s.io", version: "v1" },
    { kind: "CustomResourceDefinition", plural: "customresourcedefinitions", scope: "Cluster" },
  );
  const count = { type: "integer", format: "int64" };
  const part = { type: "object", properties: { count } };
  await client.apply(definitions, {
    metadata: { name: "counters.bench.example.com" },
    spec: {
      group: "bench.example.com",
      scope: "Namespaced",
      names: { kind: "Counter", listKind: "CounterList", plural: "counters", singular: "counter" },
      versions: [
        {
          name: "v1",
          served: true,
          storage: true,
          subresources: { status: {} },
          schema: { openAPIV3Schema: { type: "object", properties: { spec: part, status: part } } },
        },
      ],
    },
  });
  for (const within of namespaces) {
    await retry(() => client.deleteAllOf(Counter, { namespace: within }));
    await each(objects, (index) => {
      const metadata = { name: nameOf(index), namespace: within };
      return retry(() => client.create(Counter, { metadata, spec: { count: 1 } }));
    });
  }
}

/** A new kind is served a moment after its CRD was created. */
async function retry(run: () => Promise<unknown>): Promise<void> {
  for (let attempt = 0; ; attempt++) {
    try {
      await run();
      return;
    } catch (error) {
      if (attempt >= 20) throw error;
      await new Promise((resolve) => setTimeout(resolve, 250));
    }
  }
}

async function each(count: number, run: (index: number) => Promise<unknown>): Promise<void> {
  let next = 0;
  const lane = async () => {
    while (next < count) await run(next++);
  };
  await Promise.all(Array.from({ length: 20 }, lane));
}

import type { Client, Kind, KubernetesObject } from "@tsbuilder/runtime";
import { emitYaml, type YamlValue } from "../shared/yaml.ts";
import type { Report, ShownObject } from "./dev-event.ts";

interface WithConditions extends KubernetesObject {
  readonly status?: { readonly conditions?: ShownObject["conditions"] };
}

/** Reports every change of the project's own objects until the signal; a kind that goes away is let go. */
export async function watchObjects(
  client: Client,
  kinds: readonly Kind[],
  report: Report,
  signal: AbortSignal,
): Promise<void> {
  await Promise.all(kinds.map((kind) => watchKind(client, kind, report, signal)));
}

async function watchKind(client: Client, kind: Kind, report: Report, signal: AbortSignal): Promise<void> {
  const shown = new Map<string, string>();
  while (!signal.aborted) {
    try {
      for await (const { type, object } of client.watch(kind, { signal })) {
        if (type === "BOOKMARK") continue;
        const { namespace, name = "" } = object.metadata;
        const key = `${namespace}/${name}`;
        const now = textOf(object);
        const before = shown.get(key);
        if (now === before && type !== "DELETED") continue;
        shown.set(key, now);
        report({
          type: "object",
          object: {
            kind: kind.kind,
            namespace,
            name,
            isDeleted: type === "DELETED",
            conditions: (object as WithConditions).status?.conditions ?? [],
            now,
            before,
          },
        });
      }
    } catch {
      // The server ends a watch now and then, and a definition may be replaced: a new watch starts from what is there.
    }
    await new Promise((resolve) => {
      setTimeout(resolve, 200);
    });
  }
}

/** What a person wants to see of an object: not the bookkeeping of the server; and dates as text. */
function textOf(object: KubernetesObject): string {
  const { managedFields: _, resourceVersion: __, ...metadata } = object.metadata;
  return emitYaml(JSON.parse(JSON.stringify({ ...object, metadata })) as YamlValue);
}

import type { Client, Kind, KubernetesObject } from "@tsbuilder/runtime";
import { TsbuilderError } from "../shared/errors.ts";
import { emitYaml, type YamlValue } from "@tsbuilder/apimachinery/yaml";
import type { Report, ShownObject } from "./dev-event.ts";
import { isUnanswered } from "./config/explain-rejection.ts";

interface WithConditions extends KubernetesObject {
  readonly status?: { readonly conditions?: ShownObject["conditions"] };
}

/** Reports every change of the objects of some kinds until the signal is aborted. */
export async function watchObjects(
  client: Client,
  kinds: readonly Kind[],
  report: Report,
  signal: AbortSignal,
): Promise<void> {
  const outage = new Outage(report);
  await Promise.all(kinds.map((kind) => watchKind(client, kind, { report, outage }, signal)));
}

/** Reports once that a cluster is unavailable, and once that it is back, however many watches fail. */
class Outage {
  readonly #report: Report;
  #isAway = false;

  constructor(report: Report) {
    this.#report = report;
  }

  failed(error: unknown): void {
    if (this.#isAway || !isUnanswered(error)) return;
    this.#isAway = true;
    this.#report({
      type: "error",
      error: new TsbuilderError("lost the connection to the cluster", {
        code: "CLUSTER_UNREACHABLE",
        hint: "check that it is running: dev and the operator continue once it is back",
        cause: error,
      }),
    });
  }

  answered(): void {
    if (!this.#isAway) return;
    this.#isAway = false;
    this.#report({ type: "again", what: "cluster" });
    this.#report({ type: "info", text: "the cluster is available again" });
  }
}

async function watchKind(
  client: Client,
  kind: Kind,
  { report, outage }: { readonly report: Report; readonly outage: Outage },
  signal: AbortSignal,
): Promise<void> {
  const shown = new Map<string, string>();
  while (!signal.aborted) {
    try {
      for await (const { type, object } of client.watch(kind, { signal })) {
        outage.answered();
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
    } catch (error) {
      if (!signal.aborted) outage.failed(error);
      // The server closes watches now and then, and a CRD may be replaced: a new watch starts with a new list.
    }
    await new Promise((resolve) => {
      setTimeout(resolve, 200);
    });
  }
}

/** Formats an object for people: as YAML, without managedFields and resourceVersion. */
function textOf(object: KubernetesObject): string {
  const { managedFields: _, resourceVersion: __, ...metadata } = object.metadata;
  return emitYaml(JSON.parse(JSON.stringify({ ...object, metadata })) as YamlValue);
}

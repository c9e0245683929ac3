import { TsbuilderError } from "../shared/errors.ts";
import { type ClusterChoice, readJson } from "./kubectl.ts";
import { describeObject, isDefinition, type ManifestObject } from "./manifest.ts";

interface Hanging {
  /** `MySQL default/mysql-sample: waits for example.com/hold` */
  readonly reason: string;
  readonly hint: string;
}

/** Says what a deletion waits for that did not end in time, and what to do; other errors stay what they are. */
export async function explainHanging(
  error: unknown,
  objects: readonly ManifestObject[],
  options: ClusterChoice & { readonly seconds: number },
): Promise<unknown> {
  if (!(error instanceof TsbuilderError) || !error.message.includes("timed out waiting for the condition"))
    return error;
  const found = await Promise.all(objects.map((object) => findHanging(object, options)));
  const [first, ...more] = found.flat();
  if (!first) return error;
  return new TsbuilderError(
    [
      `not everything is gone after ${options.seconds} s`,
      ...[first, ...more].map(({ reason }) => reason),
    ].join("\n  "),
    { code: "TOOL_FAILED", hint: first.hint, cause: error },
  );
}

async function findHanging(object: ManifestObject, choice: ClusterChoice): Promise<Hanging[]> {
  if (isDefinition(object)) return objectsThatHang(object.metadata.name, choice);
  return object.kind === "Namespace" ? contentThatHangs(object.metadata.name, choice) : [];
}

interface Deleted extends ManifestObject {
  readonly metadata: ManifestObject["metadata"] & {
    readonly deletionTimestamp?: string;
    readonly finalizers?: readonly string[];
  };
}

/** Objects that were deleted with their definition, and that somebody has yet to let go. */
async function objectsThatHang(definition: string, choice: ClusterChoice): Promise<Hanging[]> {
  const list = await readJson<{ items: Deleted[] }>(choice, ["get", definition, "--all-namespaces"]);
  return (list?.items ?? [])
    .filter(({ metadata }) => metadata.deletionTimestamp !== undefined && metadata.finalizers?.length)
    .map((object) => {
      const { name, namespace, finalizers = [] } = object.metadata;
      const where = namespace ? ` --namespace ${namespace}` : "";
      return {
        reason: `${describeObject(object)} waits for ${finalizers.join(", ")}`,
        hint: `let the operator finish it (tsbuilder run, if it is not there any more), or give up what it would clean: kubectl patch ${definition} ${name}${where} --type merge --patch '{"metadata":{"finalizers":null}}'`,
      };
    });
}

interface Namespace {
  readonly status?: {
    readonly conditions?: readonly {
      readonly type: string;
      readonly status: string;
      readonly message?: string;
    }[];
  };
}

/** A namespace says itself what is left in it. */
async function contentThatHangs(name: string, choice: ClusterChoice): Promise<Hanging[]> {
  const namespace = await readJson<Namespace>(choice, ["get", "namespace", name]);
  return (namespace?.status?.conditions ?? [])
    .filter(({ type, status }) => status === "True" && type.endsWith("Remaining"))
    .map(({ message = "" }) => ({
      reason: `Namespace ${name}: ${message}`,
      hint: `see what is left there, and who should let it go: kubectl describe namespace ${name}`,
    }));
}

import { type ClusterChoice, readJson, runKubectl } from "./kubectl.ts";
import { type ManifestObject, describeObject, formatManifest, isCrd } from "./manifest.ts";
import { TsbuilderError } from "../shared/errors.ts";

/** How long to wait for a deletion. */
export interface DeleteOptions extends ClusterChoice {
  readonly seconds: number;
}

/**
 * Deletes objects in reverse order, and waits until they are gone. CRDs are deleted first: their objects may have
 * finalizers, which nobody removes once the operator is gone.
 */
export async function deleteObjects(
  objects: readonly ManifestObject[],
  options: DeleteOptions,
): Promise<string[]> {
  const others = objects.filter((object) => !isCrd(object));
  return [...(await remove(objects.filter(isCrd), options)), ...(await remove(others.toReversed(), options))];
}

async function remove(objects: readonly ManifestObject[], options: DeleteOptions): Promise<string[]> {
  if (objects.length === 0) return [];
  const args = ["delete", "--ignore-not-found", "--timeout", `${options.seconds}s`, "--filename", "-"];
  try {
    const { stdout } = await runKubectl(options, args, formatManifest(objects));
    return stdout.split("\n").filter((line) => line !== "");
  } catch (error) {
    throw await explainStuck(error, objects, options);
  }
}

interface StuckObject {
  /** `MySQL default/mysql-sample: waits for example.com/hold` */
  readonly reason: string;
  readonly hint: string;
}

/** Explains what a timed-out deletion is waiting for, and what to do; other errors are unchanged. */
async function explainStuck(
  error: unknown,
  objects: readonly ManifestObject[],
  options: ClusterChoice & { readonly seconds: number },
): Promise<unknown> {
  if (!(error instanceof TsbuilderError) || !error.message.includes("timed out waiting for the condition"))
    return error;
  const found = await Promise.all(objects.map((object) => findStuck(object, options)));
  const [first, ...more] = found.flat();
  if (!first) return error;
  return new TsbuilderError(
    [
      `not everything was deleted after ${options.seconds} s`,
      ...[first, ...more].map(({ reason }) => reason),
    ].join("\n  "),
    { code: "TOOL_FAILED", hint: first.hint, cause: error },
  );
}

async function findStuck(object: ManifestObject, choice: ClusterChoice): Promise<StuckObject[]> {
  if (isCrd(object)) return objectsWithFinalizers(object.metadata.name, choice);
  return object.kind === "Namespace" ? contentThatHangs(object.metadata.name, choice) : [];
}

interface Deleted extends ManifestObject {
  readonly metadata: ManifestObject["metadata"] & {
    readonly deletionTimestamp?: string;
    readonly finalizers?: readonly string[];
  };
}

/** Objects deleted with their CRD that still have finalizers. */
async function objectsWithFinalizers(crd: string, choice: ClusterChoice): Promise<StuckObject[]> {
  const list = await readJson<{ items: Deleted[] }>(choice, ["get", crd, "--all-namespaces"]);
  return (list?.items ?? [])
    .filter(({ metadata }) => metadata.deletionTimestamp !== undefined && metadata.finalizers?.length)
    .map((object) => {
      const { name, namespace, finalizers = [] } = object.metadata;
      const where = namespace ? ` --namespace ${namespace}` : "";
      return {
        reason: `${describeObject(object)} waits for ${finalizers.join(", ")}`,
        hint: `let the operator finish it (tsbuilder run, if it is no longer deployed), or skip its cleanup: kubectl patch ${crd} ${name}${where} --type merge --patch '{"metadata":{"finalizers":null}}'`,
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

/** A namespace reports in its conditions what is left in it. */
async function contentThatHangs(name: string, choice: ClusterChoice): Promise<StuckObject[]> {
  const namespace = await readJson<Namespace>(choice, ["get", "namespace", name]);
  return (namespace?.status?.conditions ?? [])
    .filter(({ type, status }) => status === "True" && type.endsWith("Remaining"))
    .map(({ message = "" }) => ({
      reason: `Namespace ${name}: ${message}`,
      hint: `see what is left there, and who should delete it: kubectl describe namespace ${name}`,
    }));
}

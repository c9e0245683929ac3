import type { Client, Kind, KubernetesObject, ObjectKey } from "@tsbuilder/runtime";
import { TsbuilderError } from "../shared/errors.ts";
import type { ManifestObject } from "../ship/manifest.ts";
import { ownedBy } from "./owned-by.ts";
import { untilRested } from "./until-rested.ts";

export interface Observation {
  readonly examples: readonly Observed[];
  /** Why the cluster has no others. */
  readonly refused: readonly TsbuilderError[];
}

/** An object as it is in the cluster, and the kinds of those that it owns. */
export interface Observed {
  readonly object: ManifestObject;
  readonly made: readonly Pick<Kind, "apiVersion" | "kind">[];
}

/** Where an object is. */
interface Placed {
  readonly kind: Kind;
  readonly key: ObjectKey;
}

interface ObserveOptions {
  /** How long to wait for objects that never rest, or get no status. */
  readonly seconds: number;
  /** Stops it after the request that is being made. */
  readonly signal?: AbortSignal | undefined;
}

export type Observe = (objects: readonly ManifestObject[], options: ObserveOptions) => Promise<Observation>;

/** Creates objects in a namespace, for those that name none, and reads what becomes of them. */
export function observer(
  client: Client,
  namespace: string,
): { readonly observe: Observe; readonly deleteCreated: () => Promise<void> } {
  const created: Placed[] = [];
  const place = async (object: ManifestObject): Promise<Placed> => {
    const kind = await findKind(client, object);
    const own = object.metadata.namespace ?? namespace;
    const key = {
      name: object.metadata.name,
      ...(kind.scope === "Namespaced" ? { namespace: own } : {}),
    };
    if (await createMissing(client, kind, { ...object, metadata: { ...object.metadata, ...key } })) {
      created.push({ kind, key });
    }
    return { kind, key };
  };
  return {
    observe: async (objects, { seconds, signal }) => {
      const placed: Placed[] = [];
      const refused: TsbuilderError[] = [];
      for (const object of objects) {
        signal?.throwIfAborted();
        try {
          placed.push(await place(object));
        } catch (error) {
          if (!(error instanceof TsbuilderError) || error.code === "CLUSTER_UNREACHABLE") throw error;
          refused.push(error);
        }
      }
      const read = () => {
        signal?.throwIfAborted();
        return Promise.all(placed.map((one) => readPlaced(client, one)));
      };
      const found = await untilRested(read, { seconds });
      const owned = await ownedBy(client, found);
      const examples = found.map((object) => ({
        object: object as unknown as ManifestObject,
        made: owned.get(object.metadata.uid!) ?? [],
      }));
      return { examples, refused };
    },
    deleteCreated: async () => {
      const left: string[] = [];
      let cause: Error | undefined;
      for (const { kind, key } of created.splice(0).toReversed()) {
        await client.delete(kind, key).catch((error: Error & { isNotFound?: boolean }) => {
          if (error.isNotFound) return;
          left.push(`${kind.kind} ${key.name}${key.namespace === undefined ? "" : ` in ${key.namespace}`}`);
          cause = error;
        });
      }
      if (cause === undefined) return;
      throw new TsbuilderError(`could not delete the examples: ${cause.message}`, {
        code: "REFUSED",
        hint: `delete what is left in the cluster: ${left.join(", ")}`,
        cause,
      });
    },
  };
}

/** The operator may delete an object, too. */
async function readPlaced(client: Client, { kind, key }: Placed): Promise<KubernetesObject> {
  const found = await client.find(kind, key);
  if (found) return found;
  throw new TsbuilderError(`${kind.kind} ${key.name} was deleted before its status came to rest`, {
    code: "NOT_FOUND",
    hint: "use an example that the operator keeps, and that nobody else deletes",
  });
}

async function findKind(client: Client, object: ManifestObject): Promise<Kind> {
  try {
    return await client.mapper.kindFor(object);
  } catch (error) {
    if ((error as { reason?: string }).reason !== "NoKindMatch") throw error;
    throw new TsbuilderError((error as Error).message, {
      code: "NOT_FOUND",
      hint: "install the CRDs and the operator first: tsbuilder deploy --context NAME",
      cause: error,
    });
  }
}

/** Returns whether the object was missing. */
async function createMissing(client: Client, kind: Kind, object: ManifestObject): Promise<boolean> {
  const { explainRejection } = await import("./explain-rejection.ts");
  try {
    await client.create(kind, object);
    return true;
  } catch (error) {
    if ((error as { isAlreadyExists?: boolean }).isAlreadyExists) return false;
    throw explainRejection(error, object);
  }
}

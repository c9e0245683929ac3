import { existsSync, readFileSync, realpathSync } from "node:fs";
import { join } from "node:path";
import type { Client, Kind, KubernetesObject } from "@tsbuilder/runtime";
import { TsbuilderError } from "../shared/errors.ts";
import { type Fact, forget, isKnown, remember } from "../shared/known-facts.ts";
import { hideSecret } from "./hide-secret.ts";

/**
 * Remembers that a session wrote its kubeconfig, until the returned function is called. A clone can contain one that
 * names a program to run, or a server that is to get what is in a file of the user's.
 */
export function rememberConfig(file: string): () => void {
  const fact = factOf(file);
  remember(fact);
  return () => forget(fact);
}

const factOf = (file: string): Fact => ["kubeconfig", realpathSync(file), readFileSync(file, "utf8")];

/** Which objects of a running session to read. */
export interface ObjectQuery {
  /** A kind, singular or plural, with or without its group: `mysql`, `deployments.apps`. */
  readonly kind: string;
  readonly namespace?: string | undefined;
  readonly name?: string | undefined;
  readonly labels?: string | undefined;
}

/** No answer holds more: whoever reads it is to ask more narrowly. */
const mostObjects = 100;

/** Reads objects of the cluster that `tsbuilder dev` runs for a project, without what Secrets hold. */
export async function readObjects(root: string, query: ObjectQuery): Promise<readonly object[]> {
  const client = await clientOfSession(root);
  const kind = await findKind(client, query.kind);
  const { name, namespace, labels } = query;
  if (name === undefined) {
    const found = await client.list(kind, { namespace, labels, limit: mostObjects });
    return found.map(shown);
  }
  const found = await client.find(kind, { name, namespace });
  return found ? [shown(found)] : [];
}

async function clientOfSession(root: string): Promise<Client> {
  const kubeconfig = join(root, ".tsbuilder/dev/kubeconfig");
  const { createClient, loadConfig } = await import("@tsbuilder/runtime");
  if (!existsSync(kubeconfig) || !isKnown(factOf(kubeconfig))) throw noSession();
  const client = createClient(await loadConfig({ kubeconfig, env: {} }));
  await client.request({ path: "/readyz" }).catch((error: unknown) => {
    throw noSession(error);
  });
  return client;
}

function noSession(cause?: unknown): TsbuilderError {
  return new TsbuilderError(
    "tsbuilder dev is not running in this project, or there is no folder to remember it in",
    {
      code: "CLUSTER_UNREACHABLE",
      hint: "start it in another terminal: npx tsbuilder dev",
      cause,
    },
  );
}

async function findKind(client: Client, wanted: string): Promise<Kind> {
  const kinds = await client.mapper.kinds();
  const [name = "", ...group] = wanted.toLowerCase().split(".");
  const found = kinds.find(
    (kind) =>
      (group.length === 0 || kind.group === group.join(".")) &&
      [kind.kind.toLowerCase(), kind.plural].includes(name),
  );
  if (found) return found;
  throw new TsbuilderError(`the cluster has no kind "${wanted}"`, {
    code: "NOT_FOUND",
    hint: `it has ${kinds.map((kind) => kind.kind).join(", ")}`,
  });
}

function shown({ metadata, ...object }: KubernetesObject): object {
  const { managedFields: _, ...rest } = metadata;
  return hideSecret({ ...object, metadata: rest });
}

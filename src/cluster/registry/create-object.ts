import type { AdmissionRequest, Operation } from "./admission-request.ts";
import {
  alreadyExists,
  badRequest,
  generateNameConflict,
  invalidObject,
  StatusError,
} from "../contract/status-error.ts";
import { type ApiObject } from "../contract/api-object.ts";
import { Entry } from "../storage/entry.ts";
import { allowCreation } from "./allow-creation.ts";
import { restoreManagers, trackManagers } from "./field-manager.ts";
import { generateName, stampNewObject, validateNewMetadata } from "./object-meta.ts";
import { keyOf } from "./resource.ts";
import type { Write } from "./write.ts";

const nameAttempts = 8;

/** What kind of request creates the object. */
export interface CreateSource {
  /** The object carries its managers already: a server-side apply. */
  readonly applied?: boolean;
  /** The request was a PUT or a patch, which its user was allowed to send; whether he may create is open. */
  readonly unasked?: boolean;
}

/**
 * Creates an object: mutating admission, the server's own fields, defaults, validation, validating admission,
 * commit. The object belongs to the call. Answers the stored state in the request's version.
 */
export async function createObject(
  write: Write,
  object: ApiObject,
  { applied = false, unasked = false }: CreateSource = {},
): Promise<Entry> {
  const { resource, core } = write;
  const { strategy } = resource;
  await resource.load?.();
  takeNamespace(write, object);
  delete object.metadata.deletionTimestamp;
  delete object.metadata.deletionGracePeriodSeconds;
  strategy.resetFields(object, undefined, "");
  strategy.default?.(object, write);

  // Owners are known before admission: nobody owns what webhooks and plug-ins add.
  const owned = applied ? object : await trackManagers(write, undefined, object);
  const { managedFields } = owned.metadata;
  const admitted = (await core.admission.mutate(admissionRequest(write, "CREATE", owned)))!;
  takeNamespace(write, admitted);
  const generated = takeName(write, admitted);
  strategy.default?.(admitted, write);
  restoreManagers(admitted, managedFields);
  stampNewObject(admitted, resource, write.now);
  strategy.prepareForCreate?.(admitted, write);

  const errors = [
    ...validateNewMetadata(admitted, resource),
    ...((await strategy.validate?.(admitted, write)) ?? []),
  ];
  if (errors.length > 0) throw invalidObject(resource, admitted.metadata.name ?? "", errors);
  for (const warning of strategy.warnings?.(admitted, undefined) ?? []) write.warn(warning);
  if (unasked) allowCreation(write);
  const { name } = admitted.metadata;
  await core.admission.validate({ ...admissionRequest(write, "CREATE", admitted), name: name! });
  return commit(write, admitted, generated);
}

/** Commits in the tick in which the key is found free. */
async function commit(write: Write, object: ApiObject, generated: boolean): Promise<Entry> {
  const { core, resource } = write;
  if (object.metadata.resourceVersion && !write.dryRun) {
    throw new StatusError(500, undefined, "resourceVersion should not be set on objects to be created");
  }
  const stored = await resource.convert(object, resource.storageVersion);
  const key = keyOf(resource, write.namespace, object.metadata.name!);
  if (resource.collection.get(key)) {
    if (generated) throw generateNameConflict(resource, object.metadata.name!);
    throw alreadyExists(resource, object.metadata.name!);
  }
  if (write.dryRun) return new Entry(key, core.store.revision, object);
  resource.strategy.beforeCommit?.(stored, undefined, write);
  return resource.present(core.store.put(resource.collection, key, stored), write.version);
}

function takeNamespace({ resource, namespace }: Write, { metadata }: ApiObject): void {
  if (!resource.namespaced) {
    delete metadata.namespace;
    return;
  }
  metadata.namespace ??= namespace;
  if (metadata.namespace === "") metadata.namespace = namespace;
  if (metadata.namespace !== namespace) {
    throw badRequest("the namespace of the provided object does not match the namespace sent on the request");
  }
}

/** Gives the object a name of its prefix; one that is free, if eight attempts find it. */
function takeName({ resource, namespace }: Write, { metadata }: ApiObject): boolean {
  if (metadata.name || !metadata.generateName || !resource.strategy.generateName) return false;
  for (let attempt = 0; attempt < nameAttempts; attempt++) {
    metadata.name = generateName(metadata.generateName);
    if (!resource.collection.get(keyOf(resource, namespace, metadata.name))) break;
  }
  return true;
}

/** What admission is told of a write, whichever endpoint it came by. */
export function admissionRequest(
  write: Write,
  operation: Operation,
  object: ApiObject | undefined,
  oldObject?: ApiObject,
): AdmissionRequest {
  const name = write.ofCollection ? "" : write.name;
  return {
    ...write,
    operation,
    name: name || (object?.metadata.name ?? ""),
    object,
    oldObject,
    options: optionsFor(operation, write.options),
  };
}

/** A patch is a creation or an update by now, and nobody is forced any more. */
function optionsFor(operation: Operation, options: Write["options"]): Write["options"] {
  if (operation !== "CREATE" && operation !== "UPDATE") return options;
  const { force: _force, ...others } = options;
  return { ...others, kind: operation === "CREATE" ? "CreateOptions" : "UpdateOptions" };
}

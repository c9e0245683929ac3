import { randomInt, randomUUID } from "node:crypto";
import { formatTime } from "@tsbuilder/apimachinery/time";
import type { ApiObject } from "../contract/api-object.ts";
import type { WriteRequest } from "./api-request.ts";
import type { Resource } from "./resource.ts";

/** Removes what only the server may set from an object that a client posts. An update that creates keeps it. */
export function removeSystemMetadata({ metadata }: ApiObject): void {
  delete metadata.deletionTimestamp;
  delete metadata.deletionGracePeriodSeconds;
  delete metadata.selfLink;
}

/** Sets the metadata of a new object that only the server may set. */
export function setSystemMetadata(object: ApiObject, { resource, dryRun, now }: WriteRequest): void {
  const { metadata } = object;
  metadata.uid = randomUUID();
  metadata.creationTimestamp = formatTime(now);
  dropSelfLink(object, resource, dryRun);
  if (resource.strategy.generation) metadata.generation = 1;
}

const suffixAlphabet = "bcdfghjklmnpqrstvwxz2456789";

/** Generates a name: at most 58 characters of the prefix and five random ones without vowels. */
export function generateName(prefix: string): string {
  let name = prefix.slice(0, 58);
  for (let index = 0; index < 5; index++) name += suffixAlphabet[randomInt(suffixAlphabet.length)];
  return name;
}

/** Copies metadata that an update can't change from the stored object if the update omits it. */
export function carryOverMetadata(
  object: ApiObject,
  old: ApiObject,
  { resource, dryRun }: WriteRequest,
): void {
  const { metadata } = object;
  const before = old.metadata;
  metadata.uid ||= before.uid!;
  metadata.creationTimestamp = before.creationTimestamp!;
  if (before.generation === undefined) delete metadata.generation;
  else metadata.generation = before.generation;
  if (before.deletionTimestamp !== undefined) metadata.deletionTimestamp = before.deletionTimestamp;
  if (before.deletionGracePeriodSeconds !== undefined)
    metadata.deletionGracePeriodSeconds ??= before.deletionGracePeriodSeconds;
  dropSelfLink(object, resource, dryRun);
}

/** Built-in kinds are stored without a selfLink. */
function dropSelfLink({ metadata }: ApiObject, { custom }: Resource, dryRun: boolean): void {
  if (!custom && !dryRun) delete metadata.selfLink;
}

import { duplicate, invalid, required, tooLong, tooMany } from "@tsbuilder/apimachinery/errors";
import type { ResourcePool, ResourceSliceSpec } from "@tsbuilder/apimachinery/k8s/resource/v1";
import { checkSubdomain } from "@tsbuilder/apimachinery/naming";
import type { ApiObject } from "../../../contract/api-object.ts";
import type { Sent } from "../../../contract/sent.ts";
import { immutable, type Problems, refused } from "../../checks/problems.ts";
import { nodeSelectorProblems } from "../../core/pod-spec/affinity.ts";
import { driverName } from "../../storage/class-rules.ts";
import { counterProblems, deviceProblems, type SentDevice } from "./device.ts";

export type ResourceSlice = ApiObject & { spec?: Sent<ResourceSliceSpec> };

const mostDevices = 128;
const mostAdvancedDevices = 64;
const mostCounterSets = 8;
const longestPool = 253;

/** Validates a slice: driver, pool, its one choice of nodes, and the names of its devices. */
export function* sliceProblems({ spec = {} }: ResourceSlice, old?: ResourceSlice): Problems {
  const { driver, pool = {}, nodeName, devices = [] } = spec;
  yield* driverName("spec.driver", driver);
  yield* poolProblems("spec.pool", pool);
  if (old) {
    const before = old.spec ?? {};
    yield* immutable("spec.pool.name", pool.name ?? "", before.pool?.name);
    yield* immutable("spec.driver", driver, before.driver);
    yield* immutable("spec.nodeName", nodeName, before.nodeName);
  }
  yield* nodeProblems(spec);
  if (spec.sharedCounters && spec.devices) {
    yield invalid("spec", "", "only one of `sharedCounters` or `devices` is allowed");
  }
  const placed = spec.perDeviceNodeSelection === true;
  const most = devices.some(isAdvanced) ? mostAdvancedDevices : mostDevices;
  yield* eachOnce("spec.devices", devices, most, (at, device) => deviceProblems(at, device, placed));
  yield* eachOnce("spec.sharedCounters", spec.sharedCounters ?? [], mostCounterSets, (at, set) =>
    counterProblems(at, "name", set),
  );
}

/** Devices with taints or counters cost the scheduler more. */
function isAdvanced({ taints = [], consumesCounters = [] }: SentDevice): boolean {
  return taints.length > 0 || consumesCounters.length > 0;
}

function* eachOnce<T extends { name?: string | undefined }>(
  field: string,
  items: readonly T[],
  most: number,
  problemsOf: (field: string, item: T) => Problems,
): Problems {
  if (items.length > most) return yield tooMany(field, items.length, most);
  const names = items.map(({ name = "" }) => name);
  for (const [index, item] of items.entries()) yield* problemsOf(`${field}[${index}]`, item);
  for (const [index, name] of names.entries()) {
    if (names.indexOf(name) < index) yield duplicate(`${field}[${index}]`, name);
  }
}

function* poolProblems(field: string, pool: Sent<ResourcePool>): Problems {
  const { name = "", resourceSliceCount: count = 0, generation = 0 } = pool;
  if (name === "") yield required(`${field}.name`);
  else {
    if (name.length > longestPool) yield tooLong(`${field}.name`, longestPool);
    for (const part of name.split("/")) yield* refused(`${field}.name`, part, checkSubdomain(part));
  }
  if (count <= 0) yield invalid(`${field}.resourceSliceCount`, count, "must be greater than zero");
  if (generation < 0) {
    yield invalid(`${field}.generation`, generation, "must be greater than or equal to zero");
  }
}

/** A slice says in one of four ways from which nodes its devices are accessible. */
function* nodeProblems({
  nodeName,
  nodeSelector,
  allNodes,
  perDeviceNodeSelection,
}: Sent<ResourceSliceSpec>): Problems {
  if (nodeName === "") {
    yield invalid("spec.nodeName", nodeName, "must be either unset or set to a non-empty string");
  } else if (nodeName !== undefined) yield* refused("spec.nodeName", nodeName, checkSubdomain(nodeName));
  if (nodeSelector) yield* nodeSelectorProblems("spec.nodeSelector", nodeSelector.nodeSelectorTerms);
  if (nodeSelector && nodeSelector.nodeSelectorTerms?.length !== 1) {
    const terms = nodeSelector.nodeSelectorTerms ?? null;
    yield invalid("spec.nodeSelector.nodeSelectorTerms", terms, "must have exactly one node selector term");
  }
  for (const [name, flag] of Object.entries({ allNodes, perDeviceNodeSelection })) {
    if (flag === false) yield invalid(`spec.${name}`, flag, "must be either unset or set to true");
  }
  const given = Object.entries({ nodeName, nodeSelector, allNodes, perDeviceNodeSelection });
  const set = given.filter(([, value]) => Boolean(value)).map(([name]) => `\`${name}\``);
  const rule = "exactly one of `nodeName`, `nodeSelector`, `allNodes`, `perDeviceNodeSelection` is required";
  if (set.length === 0) yield required("spec", rule);
  else if (set.length > 1) {
    yield invalid("spec", `{${set.join(", ")}}`, `${rule}, but multiple fields are set`);
  }
}

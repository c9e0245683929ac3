import { invalid } from "@tsbuilder/apimachinery/errors";
import { descendingPath } from "../../checks/paths.ts";
import type { Problems } from "../../checks/problems.ts";
import type { PodSpec } from "./types.ts";

const mirror = "kubernetes.io/config.mirror";
const deletionCost = "controller.kubernetes.io/pod-deletion-cost";
const seccompOfPod = "seccomp.security.alpha.kubernetes.io/pod";
const seccompOfContainer = "container.seccomp.security.alpha.kubernetes.io/";
const appArmor = "container.apparmor.security.beta.kubernetes.io/";

/** Pod annotations that the server validates. */
export function* annotationProblems(
  field: string,
  annotations: Record<string, string> = {},
  spec: PodSpec,
): Problems {
  for (const [key, value] of Object.entries(annotations)) {
    if (key === mirror && !spec.nodeName) {
      yield invalid(`${field}[${key}]`, value, "must set spec.nodeName if mirror pod annotation is set");
    } else if (key === deletionCost && !isInt32(value)) {
      yield invalid(`${field}[${key}]`, value, "must be a 32bit integer");
    } else if (key === seccompOfPod || key.startsWith(seccompOfContainer)) {
      yield* seccomp(`${field}.${key}`, value);
    } else if (key.startsWith(appArmor)) yield* appArmorProblems(`${field}[${key}]`, key, value, spec);
  }
}

/** An integer as Go parses it: without a plus sign or leading zeros. */
function isInt32(text: string): boolean {
  return /^(0|-?[1-9]\d*)$/.test(text) && Math.abs(Number(text)) < 2 ** 31;
}

function* seccomp(field: string, profile: string): Problems {
  const local = "localhost/";
  if (["runtime/default", "docker/default", "unconfined"].includes(profile)) return;
  if (profile.startsWith(local)) yield* descendingPath(field, profile.slice(local.length));
  else yield invalid(field, profile, "must be a valid seccomp profile");
}

function* appArmorProblems(field: string, key: string, profile: string, spec: PodSpec): Problems {
  const name = key.slice(appArmor.length);
  const all = [...(spec.initContainers ?? []), ...(spec.containers ?? [])];
  if (!all.some((container) => container.name === name)) yield invalid(field, name, "container not found");
  if (profile === "" || profile === "runtime/default" || profile === "unconfined") return;
  if (profile.startsWith("localhost/")) return;
  yield invalid(field, profile, `invalid AppArmor profile name: ${JSON.stringify(profile)}`);
}

import type { Insert } from "../../scaffold/blueprint.ts";

/** A line of the base's list of components: features that add objects. */
export function component(path: string): Insert {
  return { file: "config/base/kustomization.yaml", marker: "components", text: `- ${path}` };
}

/** A line of the outer list: what needs the objects' final names. */
export function wiring(path: string): Insert {
  return { file: "config/default/kustomization.yaml", marker: "components", text: `- ${path}` };
}

/** A line of any other list below `config/`. */
export function line(folder: string, marker: string, text: string): Insert {
  return { file: `config/${folder}/kustomization.yaml`, marker, text: `- ${text}` };
}

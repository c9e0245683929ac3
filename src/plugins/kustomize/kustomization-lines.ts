import type { Insert } from "../../scaffold/blueprint.ts";

/** A component in config/base: features that add objects. */
export function component(path: string): Insert {
  return { file: "config/base/kustomization.yaml", marker: "components", text: `- ${path}` };
}

/** A component in config/default: wiring that needs the final names of objects. */
export function wiring(path: string): Insert {
  return { file: "config/default/kustomization.yaml", marker: "components", text: `- ${path}` };
}

/** An entry in any other kustomization in `config/`. */
export function line(folder: string, marker: string, text: string): Insert {
  return { file: `config/${folder}/kustomization.yaml`, marker, text: `- ${text}` };
}

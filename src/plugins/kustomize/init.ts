import type { Project } from "../../project/project.ts";
import { type Blueprint, joinBlueprints } from "../../scaffold/blueprint.ts";
import { describeFeatures } from "./features.ts";
import { component } from "./kustomization-lines.ts";

/** The operator's own objects, and the features of the deployment. */
export function init(project: Project): Blueprint {
  const { projectName } = project;
  return joinBlueprints(
    {
      parts: [{ key: "kustomize/base", templates: "kustomize/init/base", context: { projectName } }],
      inserts: [],
      generated: [],
    },
    ...(project.namespaced ? [namespaced(project)] : []),
    describeFeatures(project),
  );
}

function namespaced({ projectName, namespaces }: Project): Blueprint {
  const isList = namespaces.length > 0;
  return {
    parts: [
      {
        key: `kustomize/namespaced-${isList ? "list" : "own"}`,
        templates: `kustomize/init/namespaced-${isList ? "list" : "own"}`,
        context: { projectName, watchNamespaces: namespaces.join(",") },
      },
    ],
    inserts: [component("../namespaced")],
    generated: [],
  };
}

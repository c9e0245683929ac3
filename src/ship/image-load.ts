import { join } from "node:path";
import type { ContainerTool } from "./container-tool.ts";
import { planSave } from "./image-plan.ts";
import { withTemporaryFolder } from "./temporary-folder.ts";
import { runTool, showTool, type ToolCall } from "./tool.ts";

/** Local clusters that can load an image without a registry. */
export const localClusters = ["kind", "minikube", "k3d"] as const;
export type LocalCluster = (typeof localClusters)[number];

/** Loads an image into a local cluster through an archive, which works with any container tool. */
export async function loadImage(
  tool: ContainerTool,
  image: string,
  cluster: LocalCluster,
  name: string | undefined,
): Promise<void> {
  await withTemporaryFolder("tsbuilder-image-", async (folder) => {
    const archive = join(folder, "image.tar");
    await runTool(planSave(tool, image, archive));
    await showTool(planLoad(cluster, archive, name));
  });
}

/** The command that loads an archive; `name` is the cluster's. Default: the tool's default cluster. */
export function planLoad(cluster: LocalCluster, archive: string, name: string | undefined): ToolCall {
  switch (cluster) {
    case "kind":
      return { tool: "kind", args: ["load", "image-archive", archive, ...(name ? ["--name", name] : [])] };
    case "minikube":
      return { tool: "minikube", args: ["image", "load", archive, ...(name ? ["--profile", name] : [])] };
    case "k3d":
      return { tool: "k3d", args: ["image", "import", archive, ...(name ? ["--cluster", name] : [])] };
  }
}

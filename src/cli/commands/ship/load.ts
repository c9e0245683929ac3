import { statSync } from "node:fs";
import { join, resolve } from "node:path";
import { type ContainerTool, findContainerTool } from "../../../ship/images/container-tool.ts";
import { localClusters, loadImage, type LocalCluster, saveImage } from "../../../ship/images/build-image.ts";
import { parseImageReference } from "../../../ship/images/image-reference.ts";
import { withTemporaryFolder } from "../../../ship/temporary-folder.ts";
import { TsbuilderError } from "../../../shared/errors.ts";
import { clusterFlags } from "../../arguments/cluster-flags.ts";
import { defineCommand, flag, invalidArgument } from "../../arguments/command.ts";
import { defaultImage, toolFlag } from "../../arguments/image-flags.ts";

const targets = [...localClusters, "nodes"] as const;

export const load = defineCommand({
  description:
    "Loads images of the local container tool, or archives of images such as docker save writes, into a local cluster. The nodes are those of tsbuilder dev --nodes in this folder, or of the cluster of --kubeconfig.",
  flags: {
    into: flag.string("type of local cluster (default: kind, or nodes with --kubeconfig)", "CLUSTER", {
      choices: targets,
    }),
    name: flag.string("name of the cluster (default: the tool's default name)", "NAME"),
    kubeconfig: { ...clusterFlags.kubeconfig, summary: "kubeconfig of an embedded cluster with nodes" },
    tool: toolFlag,
  },
  refused: { image: "name images without a flag: tsbuilder load IMAGE" },
  positionals: ["[images...]"],
  examples: [
    "tsbuilder load mysql-operator:dev --into kind --name dev",
    "tsbuilder load mysql-operator:dev mysql.tar --into nodes",
  ],
  async run({ flags, positionals, ui, cwd }) {
    const { kubeconfig, name } = flags;
    const into = flags.into ?? (kubeconfig === undefined ? "kind" : "nodes");
    const given = positionals.length > 0 ? positionals : [defaultImage];
    const wanted = given.map((image) => ({ image, archive: archiveOf(cwd, image) }));
    for (const { image, archive } of wanted) if (archive === undefined) parseImageReference(image);
    if (into !== "nodes" && kubeconfig !== undefined)
      throw invalidArgument(`--kubeconfig does not apply to ${into}`, "omit it, or use --into nodes");
    if (into === "nodes" && name !== undefined)
      throw invalidArgument(
        "--name does not apply to nodes",
        "omit it, and name their cluster with --kubeconfig",
      );
    const config = into === "nodes" ? resolve(cwd, kubeconfig ?? (await devKubeconfig(cwd))) : undefined;
    const needsTool = wanted.some(({ archive }) => archive === undefined);
    const tool = needsTool ? await findContainerTool(flags.tool as ContainerTool | undefined) : undefined;
    for (const { image, archive } of wanted) {
      await withTemporaryFolder("tsbuilder-image-", async (folder) => {
        const file = archive ?? join(folder, "image.tar");
        if (archive === undefined) await saveImage(tool!, image, file);
        if (config === undefined) return loadImage(file, into as LocalCluster, name);
        const { loadIntoNodes } = await import("../../../dev/cluster/node-images.ts");
        return loadIntoNodes(config, file);
      });
      ui.print(`loaded ${image} into ${into}`);
    }
  },
});

/** The path of an archive; undefined if no such file is there, so that the name is that of an image. */
function archiveOf(cwd: string, image: string): string | undefined {
  const path = resolve(cwd, image);
  return statSync(path, { throwIfNoEntry: false })?.isFile() ? path : undefined;
}

async function devKubeconfig(root: string): Promise<string> {
  const { sessionKubeconfig } = await import("../../../dev/running-session.ts");
  const found = sessionKubeconfig(root);
  if (found !== undefined) return found;
  throw new TsbuilderError("tsbuilder dev is not running in this folder", {
    code: "CLUSTER_UNREACHABLE",
    hint: "start it in another terminal: npx tsbuilder dev --nodes 1, or name a cluster with --kubeconfig",
  });
}

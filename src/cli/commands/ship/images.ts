import { statSync } from "node:fs";
import { join, resolve } from "node:path";
import { TsbuilderError } from "../../../shared/errors.ts";
import { licensesFile } from "../../../shared/third-party-licenses.ts";
import {
  buildImage,
  loadImage,
  type LocalCluster,
  localClusters,
  saveImage,
} from "../../../ship/images/build-image.ts";
import { type ContainerTool, findContainerTool } from "../../../ship/images/container-tool.ts";
import { imageName, parseImageReference } from "../../../ship/images/image-reference.ts";
import { askDigest, replaceBaseImages } from "../../../ship/images/pin-image.ts";
import { withTemporaryFolder } from "../../../ship/temporary-folder.ts";
import { clusterFlags } from "../../arguments/cluster-flags.ts";
import { defineCommand, flag, invalidArgument } from "../../arguments/command.ts";
import { defaultImage, pushFlags, pushImage, toolFlag } from "../../arguments/image-flags.ts";
import { changeFiles, openProject, planFlags } from "../../project/open-project.ts";

export const build = defineCommand({
  description:
    "Without --image, bundles src/main.ts and everything it imports into dist/main.js, and writes the licenses of the packages in it beside it. With --image, builds the project's Dockerfile, which bundles the operator inside the image. Arguments after -- are passed to the container tool.",
  flags: {
    image: {
      type: "optional-string",
      summary: `build an image (default: ${defaultImage})`,
      placeholder: "IMAGE",
    },
    tool: toolFlag,
    platform: flag.list("target platforms, for example linux/arm64", "PLATFORM"),
    "build-arg": flag.list("build argument for the Dockerfile, NAME=VALUE", "ARG"),
    push: flag.switch("push the image after building it"),
    load: flag.string("load the image into a local cluster after building it", "CLUSTER", {
      choices: localClusters,
    }),
    save: flag.string("save the image to an archive after building it", "FILE"),
    "digest-file": flag.string("write the digest of the pushed image to a file", "FILE"),
  },
  takesRest: true,
  examples: ["tsbuilder build", "tsbuilder build --image registry.example.com/mysql-operator:v1 --push"],
  async run({ flags, rest, cwd, ui }) {
    const { root } = openProject(cwd, ui);
    if (flags.image === undefined) {
      refuseImageFlags({ ...flags, "": rest });
      const { bundleOperator } = await import("../../../ship/bundle.ts");
      await bundleOperator(root, join(root, "dist/main.js"));
      ui.print(`wrote dist/main.js, and dist/${licensesFile} for the packages in it`);
      return;
    }
    const image = flags.image === true ? defaultImage : flags.image;
    parseImageReference(image);
    const tool = await findContainerTool(flags.tool as ContainerTool | undefined);
    ui.note(`Building ${image} with ${tool}`);
    await buildImage(
      tool,
      { image, context: root, platforms: flags.platform, buildArgs: flags["build-arg"], extra: rest },
      {
        push: flags.push,
        save: flags.save,
        load: flags.load as LocalCluster | undefined,
        digestFile: flags["digest-file"],
      },
    );
    ui.print(image);
  },
});

/** Refuses what only the build of an image reads; the arguments after `--` are a flag without a name here. */
function refuseImageFlags(flags: Readonly<Record<string, unknown>>): void {
  const given = ["tool", "platform", "build-arg", "push", "load", "save", "digest-file", ""].find((name) => {
    const value = flags[name];
    return Array.isArray(value) ? value.length > 0 : value;
  });
  if (given === undefined) return;
  throw invalidArgument(
    `--${given} needs --image`,
    `set the image: tsbuilder build --image registry.example.com/operator:v1 --${given}`,
  );
}

export const push = defineCommand({
  description: "Arguments after -- are passed to the container tool, for example for a registry without TLS.",
  flags: pushFlags,
  refused: { image: "name the image without a flag: tsbuilder push IMAGE" },
  positionals: ["[image]"],
  takesRest: true,
  examples: [
    "tsbuilder push registry.example.com/mysql-operator:v1",
    "tsbuilder push localhost:5000/mysql-operator:v1 --tool buildah -- --tls-verify=false",
  ],
  async run({ flags, positionals: [image = defaultImage], rest, ui }) {
    await pushImage(image, flags, rest, ui);
  },
});

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

const dockerfile = "Dockerfile";

export const pinImages = defineCommand({
  description:
    "Asks the registries which digests the tags have now, and writes NAME:TAG@DIGEST, so that every build uses the same images. Run it again to renew them. Only for images that can be pulled without a password.",
  flags: planFlags,
  examples: ["tsbuilder pin-images", "tsbuilder pin-images --diff"],
  async run(call) {
    return changeFiles(call, async (draft, { tree }) => {
      const text = tree.read(dockerfile);
      if (text === undefined) {
        throw new TsbuilderError("the project has no Dockerfile", {
          code: "NOT_FOUND",
          hint: "for the scaffolded one, run: tsbuilder scaffold DIR",
        });
      }
      const pinned = new Map<string, string>();
      // The first pass only collects the images, because asking registries is asynchronous.
      replaceBaseImages(text, (image) => {
        pinned.set(image, image);
        return image;
      });
      for (const image of pinned.keys()) pinned.set(image, await pinImage(image));
      const renewed = replaceBaseImages(text, (image) => pinned.get(image)!);
      draft.write(dockerfile, renewed);
      return renewed === text ? ["The base images have the digests of their tags."] : [];
    });
  },
});

async function pinImage(image: string): Promise<string> {
  const reference = parseImageReference(image);
  const { tag } = reference;
  return `${imageName(reference)}${tag === undefined ? "" : `:${tag}`}@${await askDigest(reference)}`;
}

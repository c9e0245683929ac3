import { join } from "node:path";
import { type ContainerTool, findContainerTool } from "../../../ship/images/container-tool.ts";
import { localClusters, type LocalCluster } from "../../../ship/images/build-image.ts";
import { parseImageReference } from "../../../ship/images/image-reference.ts";
import { licensesFile } from "../../../shared/third-party-licenses.ts";
import { defineCommand, flag, invalidArgument } from "../../arguments/command.ts";
import { defaultImage, toolFlag } from "../../arguments/image-flags.ts";
import { openProject } from "../../project/open-project.ts";

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
    const { buildImage } = await import("../../../ship/images/build-image.ts");
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

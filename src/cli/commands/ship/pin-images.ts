import { replaceBaseImages, askDigest } from "../../../ship/images/pin-image.ts";
import { imageName, parseImageReference } from "../../../ship/images/image-reference.ts";
import { TsbuilderError } from "../../../shared/errors.ts";
import { changeFiles, planFlags } from "../../project/open-project.ts";
import { defineCommand } from "../../arguments/command.ts";

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

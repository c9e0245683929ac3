import { defineCommand } from "../../arguments/command.ts";
import { defaultImage, pushFlags, pushImage } from "../../arguments/image-flags.ts";

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

import { defineCommand } from "../command.ts";
import { pushFlags, pushImage } from "../push-image.ts";

export const bundlePush = defineCommand({
  summary: "Push the bundle's image",
  description: "Arguments after -- are passed to the container tool, for example for a registry without TLS.",
  flags: pushFlags,
  positionals: ["<image>"],
  takesRest: true,
  examples: ["tsbuilder bundle push registry.example.com/mysql-operator-bundle:v1.0.0"],
  async run({ flags, positionals: [image], rest, ui }) {
    await pushImage(image!, flags, rest, ui);
  },
});

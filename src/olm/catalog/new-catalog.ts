import { stringify } from "yaml";
import { catalogDockerfileName, configsLabel, schemas } from "./catalog-format.ts";

/** What a new package says of itself. */
interface Package {
  readonly name: string;
  readonly defaultChannel: string;
  readonly description: string | undefined;
  readonly icon: { readonly base64data: string; readonly mediatype: string } | undefined;
}

/** The files of a new package in a catalog, by path; channels and bundles are added to them. */
export function newPackage(
  folder: string,
  { name, defaultChannel, description, icon }: Package,
): Readonly<Record<string, string>> {
  const blob = {
    schema: schemas.package,
    name,
    defaultChannel,
    ...(description === undefined ? {} : { description }),
    ...(icon === undefined ? {} : { icon }),
  };
  return {
    [`${folder}/${name}/catalog.yaml`]: stringify(blob, { compat: "yaml-1.1", lineWidth: 0 }),
    [catalogDockerfileName]: catalogDockerfile(folder),
  };
}

/** opm serves the catalog by gRPC; its cache is made when the image is built, so that it starts at once. */
function catalogDockerfile(folder: string): string {
  return `FROM quay.io/operator-framework/opm:latest

ENTRYPOINT ["/bin/opm"]
CMD ["serve", "/configs", "--cache-dir=/tmp/cache"]

ADD ${folder} /configs
RUN ["/bin/opm", "serve", "/configs", "--cache-dir=/tmp/cache", "--cache-only"]

LABEL ${configsLabel}=/configs
`;
}

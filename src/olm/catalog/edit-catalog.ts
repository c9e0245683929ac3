import { type Document, isMap, isSeq, parseAllDocuments } from "yaml";
import type { Draft } from "../../scaffold/tree.ts";
import { TsbuilderError } from "../../shared/errors.ts";
import type { Bundle } from "../validate/bundle.ts";
import { csvAnnotations, writeYaml, yamlOptions } from "../bundle-format.ts";
import { catalogDockerfileName, configsLabel, readCatalog, schemas } from "./catalog.ts";
import { renderBundle } from "./render-bundle.ts";

interface Package {
  readonly name: string;
  readonly defaultChannel: string;
  readonly description: string | undefined;
  readonly icon: { readonly base64data: string; readonly mediatype: string } | undefined;
}

/** Returns the files of a new package in a catalog, by path. Channels and bundles are added later. */
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
    [`${folder}/${name}/catalog.yaml`]: writeYaml(blob),
    [catalogDockerfileName]: catalogDockerfile(folder),
  };
}

/** Returns the Dockerfile of a catalog. opm serves it by gRPC; a cache that is made with the image lets it start at once. */
function catalogDockerfile(folder: string): string {
  return `FROM quay.io/operator-framework/opm:latest

ENTRYPOINT ["/bin/opm"]
CMD ["serve", "/configs", "--cache-dir=/tmp/cache"]

ADD ${folder} /configs
RUN ["/bin/opm", "serve", "/configs", "--cache-dir=/tmp/cache", "--cache-only"]

LABEL ${configsLabel}=/configs
`;
}

/** The place of a new bundle in a catalog, and the image with its files. */
interface Addition {
  readonly folder: string;
  readonly channels: readonly string[];
  readonly image: string;
}

/** Adds a valid bundle, and an entry in each of its channels, to a catalog in YAML. Comments and other blobs are kept. */
export function addBundle(draft: Draft, bundle: Bundle, { folder, channels, image }: Addition): void {
  const blob = renderBundle(bundle, image);
  const { catalog } = readCatalog(draft, folder);
  const isOfPackage = (other: { get(key: string): { value: unknown } }): boolean =>
    other.get("package").value === blob.package;
  const packageFile = catalog.packages.find((one) => one.get("name").value === blob.package)?.file;
  if (packageFile === undefined || packageFile.endsWith(".json")) {
    throw new TsbuilderError(`"${folder}" has no package "${blob.package}" in a YAML file`, {
      code: "NOT_FOUND",
      hint: `create it first: tsbuilder catalog init ${blob.package} --default-channel ${channels[0]}`,
    });
  }
  if (catalog.bundles.some((one) => isOfPackage(one) && one.get("name").value === blob.name)) {
    throw new TsbuilderError(`"${folder}" has the bundle "${blob.name}" already`, {
      code: "ALREADY_EXISTS",
      hint: "a published bundle does not change: raise the version, or delete the bundle and its entries",
    });
  }
  const entry = channelEntry(bundle);
  const newChannels: unknown[] = [];
  for (const channel of new Set(channels)) {
    const file = catalog.channels.find((one) => isOfPackage(one) && one.get("name").value === channel)?.file;
    if (file === undefined) {
      newChannels.push({ schema: schemas.channel, package: blob.package, name: channel, entries: [entry] });
      continue;
    }
    if (file.endsWith(".json")) {
      const message = `the channel "${channel}" is in "${file}", and entries are added to YAML only`;
      throw new TsbuilderError(message, { code: "REFUSED", hint: "move the channel into a YAML file" });
    }
    const documents = parseAllDocuments(draft.read(file)!, yamlOptions) as Document[];
    const document = documents.find(
      (one) =>
        one.get("schema") === schemas.channel &&
        one.get("package") === blob.package &&
        one.get("name") === channel,
    )!;
    const entries = document.get("entries");
    if (isSeq(entries)) entries.add(document.createNode(entry));
    else if (isMap(document.contents)) document.set("entries", document.createNode([entry]));
    draft.write(file, documents.map((one) => one.toString(yamlOptions)).join(""));
  }
  const text = draft.read(packageFile)!;
  const blobs = [...newChannels, blob].map((one) => `---\n${writeYaml(one)}`);
  draft.write(packageFile, `${text}${text.endsWith("\n") ? "" : "\n"}${blobs.join("")}`);
}

/** Returns the channel entry of a bundle, with the upgrades that its ClusterServiceVersion declares. */
function channelEntry({ csv }: Bundle): Readonly<Record<string, unknown>> {
  const [replaces, skips] = [csv.get("spec", "replaces").text, csv.get("spec", "skips").texts];
  const skipRange = csv.get("metadata", "annotations", csvAnnotations.skipRange).text;
  return {
    name: csv.get("metadata", "name").text!,
    ...(replaces ? { replaces } : {}),
    ...(skips.length > 0 ? { skips } : {}),
    ...(skipRange ? { skipRange } : {}),
  };
}

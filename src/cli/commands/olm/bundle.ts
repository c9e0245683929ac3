// Commands for the Operator Lifecycle Manager. Begin here: `bundle.ts` generates a bundle, `catalog.ts` a catalog,
// `run-bundle.ts` has OLM install a bundle, `cleanup.ts` deletes it, and `scorecard.ts` tests it. The work is in `src/olm`.
import { checkSubdomain } from "@tsbuilder/apimachinery/naming";
import { parseSemver } from "@tsbuilder/apimachinery/semver";
import { Draft, type FileChange, everythingBelow } from "../../../scaffold/tree.ts";
import { TsbuilderError } from "../../../shared/errors.ts";
import type { ManifestObject } from "../../../ship/manifest.ts";
import type { OpenProject } from "../../project/open-project.ts";
import { applyOrShow, openProject, openToChange, planFlags } from "../../project/open-project.ts";
import { checkFolder, readIcon } from "../../arguments/flag-values.ts";
import { overrideFlags } from "../../arguments/cluster-flags.ts";
import type { FlagDefinition, FlagValues, Invocation } from "../../arguments/command.ts";
import { defineCommand, flag, invalidArgument } from "../../arguments/command.ts";
import { defaultImage, pushFlags, pushImage, toolFlag } from "../../arguments/image-flags.ts";
import { readPackageVersion } from "../../packages/manifest.ts";
import { bundleDockerfileName } from "../../../olm/bundle-format.ts";
import { parseImageReference } from "../../../ship/images/image-reference.ts";
import { buildFolderImage, requireFolder } from "./folder-image.ts";
import type { Presentation } from "../../../olm/bundle/base-csv.ts";

/** Flags for an operator's presentation in catalogs. A terminal asks for them before the first bundle. */
const presentationFlags = {
  "display-name": flag.string("name of the operator in catalogs", "NAME", {
    prompt: "Display name of the operator:",
  }),
  description: flag.string("what the operator does, in Markdown", "TEXT", { prompt: "What does it do?" }),
  provider: flag.string("who publishes the operator", "NAME", { prompt: "Who publishes it?" }),
  "provider-url": flag.string("web page of the provider", "URL", { prompt: "Web page of the provider:" }),
  keywords: flag.list("words under which catalogs find the operator", "WORDS", {
    prompt: "Keywords, separated by commas:",
  }),
  maintainers: flag.list("maintainers, as NAME:EMAIL", "MAINTAINERS", {
    prompt: "Maintainers, as NAME:EMAIL, separated by commas:",
  }),
  icon: flag.string("icon of the operator: an SVG, PNG, JPEG or GIF", "FILE"),
} as const satisfies Record<string, FlagDefinition>;

/** The bundle's folder in the project, for every command that writes or builds it. */
export const bundleFolderFlag = flag.string("folder of the bundle in the project", "DIR", {
  default: "bundle",
  check: checkFolder,
});

const bundleFlags = {
  image: overrideFlags.image,
  version: flag.string("version of the bundle (default: that in package.json)", "VERSION", {
    check: checkVersion,
  }),
  package: flag.string("name of the package in catalogs (default: the project's)", "NAME", {
    check: checkPackage,
  }),
  channels: flag.list("channels of the bundle (default: alpha)", "CHANNELS"),
  "default-channel": flag.string("channel that is subscribed to if no other is named", "CHANNEL"),
  replaces: flag.string("name of the version before: mysql-operator.v1.0.0", "NAME"),
  skips: flag.list("names of versions that upgrades leave out", "NAMES"),
  "skip-range": flag.string('versions that can be upgraded directly: ">=1.0.0 <1.2.0"', "RANGE"),
  "min-kube-version": flag.string("oldest version of Kubernetes that the operator runs on", "VERSION", {
    check: checkVersion,
  }),
  ...presentationFlags,
  interactive: flag.switch("ask for what catalogs show before the first bundle", { default: true }),
  "use-image-digests": flag.switch(
    "replace the tags of images with their digests, and list all images in the bundle",
  ),
  "extra-service-accounts": flag.list(
    "service accounts beside the operator's own whose permissions OLM is to grant",
    "NAMES",
  ),
  overwrite: flag.switch("overwrite the bundle's metadata and Dockerfile", { default: true }),
  "output-dir": bundleFolderFlag,
  stdout: flag.switch("print the bundle's manifests, without writing anything"),
  ...planFlags,
} as const satisfies Record<string, FlagDefinition>;

export const bundle = defineCommand({
  description:
    "Writes bundle/ and bundle.Dockerfile: a ClusterServiceVersion with the deployment, permissions, CRDs, webhooks and examples that config/ contains, and everything else as manifests. What catalogs show is in config/manifests/bases, which is scaffolded by the first run and is then yours: a run changes nothing in it but what flags say. Channels and package are kept in the bundle's annotations. OLM makes the certificates of webhooks; cert-manager's are left out.",
  flags: bundleFlags,
  refused: {
    "input-dir": "the manifests are rendered from config/manifests: patch them in its kustomization.yaml",
    "deploy-dir": "the manifests are rendered from config/manifests: patch them in its kustomization.yaml",
    "crds-dir": "the CRDs are rendered from config/manifests: list them in its kustomization.yaml",
    "kustomize-dir": "the base is in config/manifests/bases",
  },
  examples: [
    "tsbuilder bundle --image registry.example.com/mysql-operator:v1.0.0 --version 1.0.0",
    "tsbuilder bundle --channels candidate,stable --default-channel stable --use-image-digests",
  ],
  async run(call) {
    const { ui } = call;
    const { stdout, ...others } = call.flags;
    const flags = { ...others, "dry-run": others["dry-run"] || stdout };
    await openToChange({ ...call, flags }, async (opened) => {
      const { changes, notes, manifests } = await planBundleChange(opened, flags, call);
      if (!stdout) return void applyOrShow(opened.root, { changes, notes }, flags, ui);
      for (const note of notes) ui.note(note);
      ui.print(manifests.trimEnd());
    });
  },
});

/** Plans the bundle, and the base of its ClusterServiceVersion, for which the first run asks. */
async function planBundleChange(
  { root, tree, project }: OpenProject,
  flags: Omit<FlagValues<typeof bundleFlags>, "stdout">,
  { cwd, ui, host }: Pick<Invocation, "cwd" | "ui" | "host">,
): Promise<{ changes: FileChange[]; notes: string[]; manifests: string }> {
  const [
    { basePath, manifestsKustomization, planBase },
    { planBundle },
    { renderChanged },
    { pluginKey },
    { describeKinds },
  ] = await Promise.all([
    import("../../../olm/bundle/base-csv.ts"),
    import("../../../olm/bundle/plan-bundle.ts"),
    import("../../../ship/render.ts"),
    import("../../../project/store.ts"),
    import("../../../generators/crd/describe-kinds.ts"),
  ]);
  const isFirst = !tree.has(basePath(project));
  const isAsking = isFirst && flags.interactive && ui.isInteractive;
  const answers = isAsking ? await askPresentation(flags) : flags;
  const draft = new Draft(tree);
  planBase(draft, project, {
    ...readPresentation(answers, cwd),
    replaces: flags.replaces,
    skips: flags.skips.length > 0 ? flags.skips : undefined,
    skipRange: flags["skip-range"],
    minKubeVersion: flags["min-kube-version"],
  });
  const objects = await renderChanged(root, manifestsKustomization, draft.changes(), {
    image: flags.image,
  });
  const pinned = flags["use-image-digests"] ? await withDigests(objects) : { objects };
  const { manifests, notes: bundleNotes } = planBundle(draft, {
    ...pinned,
    projectName: project.projectName,
    packageName: flags.package,
    version: checkVersion(flags.version ?? readPackageVersion(tree)),
    builder: `tsbuilder-v${host.version()}`,
    projectLayout: pluginKey,
    kinds: await describeKinds(tree),
    samples: tree.has("config/samples/kustomization.yaml")
      ? await renderChanged(root, "samples", [], {})
      : [],
    extraServiceAccounts: flags["extra-service-accounts"],
    folder: flags["output-dir"].replace(/\/+$/u, ""),
    files: everythingBelow(root),
    channels: flags.channels,
    defaultChannel: flags["default-channel"],
    overwrite: flags.overwrite,
    now: new Date(),
  });
  const notes = [...bundleNotes, ...(flags.image === undefined ? placeholderNotes(manifests) : [])];
  return { changes: draft.changes(), notes, manifests };
}

type PresentationValues = FlagValues<typeof presentationFlags>;

/** Asks for the values that were not given. An empty answer keeps the default. */
async function askPresentation(values: PresentationValues): Promise<PresentationValues> {
  const { ask } = await import("../../arguments/prompt.ts");
  const answers: Record<string, string | readonly string[]> = {};
  for (const [flag, definition] of Object.entries(presentationFlags) as [
    keyof PresentationValues,
    FlagDefinition,
  ][]) {
    const value = values[flag];
    if (definition.prompt === undefined || (value !== undefined && value.length > 0)) continue;
    if (flag === "provider-url" && answers["provider"] === undefined && values.provider === undefined)
      continue;
    const answer = String(await ask(flag, definition)).trim();
    if (answer !== "") answers[flag] = definition.type === "list" ? answer.split(/\s*,\s*/u) : answer;
  }
  return { ...values, ...answers };
}

/** Reads the flags. Their values replace those in the base of the ClusterServiceVersion. */
function readPresentation(values: PresentationValues, cwd: string): Presentation {
  const { provider, icon, keywords, maintainers, "provider-url": url } = values;
  if (url !== undefined && provider === undefined) {
    throw invalidArgument("--provider-url needs --provider", 'add the name: --provider "The platform team"');
  }
  return {
    displayName: values["display-name"],
    description: values.description,
    provider: provider === undefined ? undefined : { name: provider, ...(url ? { url } : {}) },
    keywords: keywords.length > 0 ? keywords : undefined,
    maintainers: maintainers.length > 0 ? maintainers.map(readMaintainer) : undefined,
    icon: icon === undefined ? undefined : readIcon(cwd, icon),
  };
}

function readMaintainer(text: string): { readonly name: string; readonly email: string } {
  const { name, email } = /^(?<name>.+):(?<email>\S+@\S+)$/u.exec(text.trim())?.groups ?? {};
  if (name !== undefined && email !== undefined) return { name: name.trim(), email };
  throw invalidArgument(
    `"${text}" is not a maintainer`,
    'use NAME:EMAIL, for example --maintainers "Ann Example:ann@example.com"',
  );
}

/** Asks the registries for the digests of all images that have none, and returns the objects with them. */
async function withDigests(objects: readonly ManifestObject[]) {
  const [{ findImages, replaceImages }, { askDigest }, { imageName, parseImageReference }] =
    await Promise.all([
      import("../../../olm/bundle/plan-bundle.ts"),
      import("../../../ship/images/pin-image.ts"),
      import("../../../ship/images/image-reference.ts"),
    ]);
  const pins = new Map<string, string>();
  for (const { image } of findImages(objects)) {
    const reference = parseImageReference(image);
    if (reference.digest === undefined)
      pins.set(image, `${imageName(reference)}@${await askDigest(reference)}`);
  }
  const pinned = replaceImages(objects, pins);
  return { objects: pinned, relatedImages: findImages(pinned) };
}

function placeholderNotes(manifests: string): string[] {
  if (!manifests.includes(`image: ${defaultImage}\n`)) return [];
  return [`The bundle deploys ${defaultImage}, a placeholder: name the operator's image with --image.`];
}

function checkVersion(version: string): string {
  if (parseSemver(version)) return version;
  throw invalidArgument(
    `"${version}" is not a version`,
    `use three numbers without a letter in front: ${/\d+\.\d+\.\d+/u.exec(version)?.[0] ?? "1.0.0"}`,
  );
}

function checkPackage(name: string): string {
  if (checkSubdomain(name).length === 0) return name;
  throw new TsbuilderError(`"${name}" is not the name of a package`, {
    code: "INVALID_NAME",
    hint: "use lower case letters, digits, dots and dashes",
  });
}

export const bundleBuild = defineCommand({
  description:
    "Builds bundle.Dockerfile, whose image holds the bundle's files and no operating system. Arguments after -- are passed to the container tool.",
  flags: {
    image: flag.string("name of the bundle's image", "IMAGE", {
      required: true,
      prompt: "Name of the bundle's image:",
      check: parseImageReference,
    }),
    tool: toolFlag,
    push: flag.switch("push the image after building it"),
    "digest-file": flag.string("write the digest of the pushed image to a file", "FILE"),
    "output-dir": bundleFolderFlag,
  },
  takesRest: true,
  examples: ["tsbuilder bundle build --image registry.example.com/mysql-operator-bundle:v1.0.0 --push"],
  async run({ flags, rest, cwd, ui }) {
    const { root } = openProject(cwd, ui);
    const source = { root, dockerfile: bundleDockerfileName, folder: flags["output-dir"] };
    requireFolder(source, "generate the bundle first: tsbuilder bundle");
    const { image, tool, push, "digest-file": digestFile } = flags;
    await buildFolderImage({ ...source, image, tool, push, digestFile, extra: rest }, ui);
  },
});

export const bundlePush = defineCommand({
  description: "Arguments after -- are passed to the container tool, for example for a registry without TLS.",
  flags: pushFlags,
  positionals: ["<image>"],
  takesRest: true,
  examples: ["tsbuilder bundle push registry.example.com/mysql-operator-bundle:v1.0.0"],
  async run({ flags, positionals: [image], rest, ui }) {
    await pushImage(image!, flags, rest, ui);
  },
});

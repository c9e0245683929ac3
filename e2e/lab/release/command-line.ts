import { parseArgs } from "node:util";
import { checkVersion } from "./versions.ts";

export const releaseHelp = `npm run lab -- release VERSION
  Writes VERSION into the package.json files, the lock file and CHANGELOG.md, to be committed and tagged.
npm run lab -- release --dry-run [--version VERSION] [--tag TAG] [--to FOLDER] [--repository URL] [--no-build]
  Builds, and packs what would be published into FOLDER. Publishes nothing.
  --version VERSION  as which version, default: that of package.json
  --tag TAG          fails unless the tag, all versions, CHANGELOG.md and what is committed agree
  --to FOLDER        an empty folder, or one with an older release, default: dist/release
  --repository URL   where the packages come from, default: that of the workflow, or the remote origin
  --no-build         packs what was built before`;

/** A command of `npm run lab -- release`. */
export type ReleaseCommand =
  | { readonly action: "help" }
  | { readonly action: "write"; readonly version: string }
  | ({ readonly action: "pack" } & PackOptions);

/** The flags of `--dry-run`. */
export interface PackOptions {
  readonly version: string | undefined;
  readonly tag: string | undefined;
  readonly to: string | undefined;
  readonly repository: string | undefined;
  readonly build: boolean;
}

const flagTypes = {
  "dry-run": { type: "boolean" },
  version: { type: "string" },
  tag: { type: "string" },
  to: { type: "string" },
  repository: { type: "string" },
  "no-build": { type: "boolean" },
  help: { type: "boolean" },
} as const;

/** Reads a command. Throws if flags contradict each other, or if npm has taken one for itself and into the environment. */
export function readReleaseCommand(
  argv: readonly string[],
  environment: Readonly<Record<string, string | undefined>>,
): ReleaseCommand {
  const { values: flags, positionals } = parseArgs({
    args: [...argv],
    allowPositionals: true,
    options: flagTypes,
  });
  if (flags.help) return { action: "help" };
  if (flags["dry-run"]) {
    if (positionals.length > 0)
      throw new Error(`--dry-run takes the version as a flag: --version ${positionals[0]}`);
    if (flags.tag !== undefined && flags["no-build"])
      throw new Error("--tag needs a build of what is committed: omit --no-build");
    if (flags.tag !== undefined && flags.version !== undefined)
      throw new Error("--tag says which version: omit --version");
    const version = flags.version === undefined ? undefined : checkVersion(flags.version);
    const { tag, to, repository } = flags;
    return { action: "pack", version, tag, to, repository, build: !flags["no-build"] };
  }
  for (const flag of ["dry-run", "tag"])
    if (!["", "false", undefined].includes(environment[`npm_config_${flag.replace("-", "_")}`]))
      throw new Error(`npm took --${flag} for itself: write npm run lab -- release --${flag}`);
  const [flag] = Object.keys(flags);
  if (flag !== undefined) throw new Error(`--${flag} belongs to --dry-run`);
  const [version, ...more] = positionals;
  if (version === undefined || more.length > 0) throw new Error(`one version is needed\n${releaseHelp}`);
  return { action: "write", version: checkVersion(version) };
}

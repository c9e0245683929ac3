import { planManifests } from "../../generators/manifests.ts";
import { describeProject } from "../../plugins/index.ts";
import { insertKey } from "../../scaffold/blueprint.ts";
import { findInsert } from "../../scaffold/find-insert.ts";
import { hasMarker, markerLine } from "../../scaffold/insert.ts";
import { renderPart } from "../../scaffold/template.ts";
import type { OpenProject } from "../open-project.ts";
import { checkBindings, checkRoles, roleFile } from "./check-roles.ts";
import type { Finding } from "./finding.ts";

/** Compares a project with its `PROJECT` file. */
export async function checkProject({ project, tree }: OpenProject): Promise<Finding[]> {
  const inputs = { boilerplate: "", packages: { runtime: "", cluster: "", simulation: "", tsbuilder: "" } };
  const { parts, inserts: all } = describeProject(project, inputs);
  const inserts = all.filter(({ isOptional }) => !isOptional);
  const missing = parts
    .filter(({ key }) => !freeParts.includes(key))
    .flatMap((part) => renderPart(part))
    .filter(({ path }) => !tree.has(path))
    .map(({ path }) => missingFile(path));
  const markers = new Map(inserts.map((insert) => [`${insert.file} ${insert.marker}`, insert]));
  const unmarked = [...markers.values()]
    .filter(({ file }) => tree.has(file))
    .filter((insert) => !hasMarker(tree.read(insert.file)!, insert))
    .map((insert): Finding => ({
      state: "wrong",
      subject: insert.file,
      message: `the line "${markerLine(insert)}" is missing`,
      remedy: "add it back where tsbuilder may insert lines",
    }));
  const unwired = inserts
    .filter(({ file }) => tree.has(file))
    .filter((insert) => !findInsert(tree.read(insert.file)!, insert))
    .map((insert): Finding => ({
      state: "wrong",
      subject: insert.file,
      message: `"${insertKey(insert).split("\n").slice(2).join("\n")}" is missing`,
      remedy: `paste it above "${markerLine(insert)}", or delete the kind with tsbuilder delete`,
    }));
  const generated = await checkGenerated(tree);
  // A role that is out of date says nothing about the markers.
  const roles = generated.some(({ subject }) => subject === roleFile)
    ? []
    : [...checkRoles(project, tree), ...checkBindings(tree)];
  const findings = [...missing, ...unmarked, ...unwired, ...generated, ...roles];
  if (findings.length > 0) return findings;
  return [{ state: "good", subject: "PROJECT", message: "the files match it and are up to date" }];
}

/** README, workflows and the like may be deleted on purpose. */
const freeParts = ["typescript/project", "typescript/webhook-test"];

function missingFile(path: string): Finding {
  return {
    state: "wrong",
    subject: path,
    message: "the file is missing",
    remedy: "restore it from version control, or run tsbuilder create again with --force",
  };
}

/** Generated files that are out of date with the types and markers. */
async function checkGenerated(tree: OpenProject["tree"]): Promise<Finding[]> {
  const { changes, stale, diagnostics } = await planManifests(tree);
  const outdated = changes.map(({ path }): Finding => ({
    state: "wrong",
    subject: path,
    message: tree.has(path)
      ? "the types or markers have changed since it was generated"
      : "the file is missing",
    remedy: "npm run manifests",
  }));
  const left = stale.map((path): Finding => ({
    state: "wrong",
    subject: path,
    message: "no kind generates this CRD any more",
    remedy: `npm run manifests removes it`,
  }));
  const errors = diagnostics.map(({ message, at, hint }): Finding => ({
    state: "wrong",
    subject: at ? `${at.file}:${at.line}` : "api/",
    message,
    remedy: hint ?? "fix the source",
  }));
  return [...outdated, ...left, ...errors];
}

import { matchesRequirements, parseLabelSelector } from "@tsbuilder/apimachinery/selector";
import type { Tree } from "../../scaffold/tree.ts";
import { TsbuilderError } from "../../shared/errors.ts";
import { bundleFolders } from "../bundle-format.ts";
import type { Located } from "../located.ts";
import { readDocuments } from "../read-documents.ts";
import { type ScorecardTest, scorecardApiVersion } from "./test-list.ts";

const configFile = "config.yaml";

/** The tests in the configuration of a bundle's scorecard, in the order of its stages. */
export function readTests(tree: Tree, folder: string, named: string | undefined): ScorecardTest[] {
  const path = named ?? `${folder}/${bundleFolders.tests}${configFile}`;
  const text = tree.read(path);
  if (text === undefined) {
    throw new TsbuilderError(`the bundle has no tests: "${path}" is missing`, {
      code: "NOT_FOUND",
      hint: "tsbuilder bundle writes it; or name another file with --config",
    });
  }
  const documents = readDocuments(path, text);
  if (documents instanceof TsbuilderError) throw documents;
  const [config] = documents;
  if (config?.get("apiVersion").text !== scorecardApiVersion || config.get("kind").text !== "Configuration") {
    throw refuse(`"${path}" is not the configuration of a scorecard`, path, config);
  }
  return config
    .get("stages")
    .items.flatMap((stage) => stage.get("tests").items.map((test) => readTest(test, path)));
}

function readTest(test: Located, path: string): ScorecardTest {
  const entrypoint = test.get("entrypoint").texts;
  if (entrypoint.length === 0) throw refuse(`${test.path} in "${path}" has no entrypoint`, path, test);
  const labels = test.get("labels").entries.map(([key, value]) => [key, String(value.value)] as const);
  return { image: test.get("image").text ?? "", entrypoint, labels: Object.fromEntries(labels) };
}

function refuse(message: string, path: string, place: Located | undefined): TsbuilderError {
  return new TsbuilderError(message, {
    code: "INVALID_SOURCE",
    hint: `its apiVersion is ${scorecardApiVersion}, its kind Configuration, and each test in its stages has an entrypoint: delete ${path}, and tsbuilder bundle writes it`,
    at: place?.at,
  });
}

/** Whether a label selector such as `suite=olm` selects a test. */
export function selectTests(selector: string): (test: ScorecardTest) => boolean {
  try {
    const requirements = parseLabelSelector(selector);
    return ({ labels }) => matchesRequirements(requirements, labels);
  } catch (error) {
    throw new TsbuilderError(`"${selector}" is not a label selector: ${(error as Error).message}`, {
      code: "INVALID_ARGUMENT",
      hint: "use --selector suite=olm, or test=olm-bundle-validation-test; --list shows the labels",
      cause: error,
    });
  }
}

import { checkLabelValue, checkSubdomain } from "@tsbuilder/apimachinery/naming";
import { didYouMean } from "../../shared/text.ts";
import {
  annotationsFile,
  bundleAnnotations as keys,
  bundleMediaType,
  testMediaType,
} from "../bundle-format.ts";
import type { Located } from "../located.ts";
import type { Bundle } from "./bundle.ts";
import { show } from "./check-csv.ts";
import { finding, type Findings } from "./rules.ts";

/** Checks the annotations that tell OLM where everything is in a bundle, and the labels of its image. */
export function* checkAnnotations(bundle: Bundle): Findings {
  const { annotations } = bundle;
  if (annotations.entries.length === 0) {
    const message = `metadata/${annotationsFile} has no annotations`;
    yield finding("annotations-missing", annotations, message, "generate the bundle with tsbuilder bundle");
    return;
  }
  const required = [keys.mediaType, keys.manifests, keys.metadata, keys.package, keys.channels];
  for (const key of required.filter((one) => annotations.get(one).isMissing)) {
    yield finding(
      "annotation-missing",
      annotations,
      `the annotation ${key} is missing`,
      "add it: OLM reads it",
    );
  }
  const prefix = "operators.operatorframework.io.";
  for (const [key, value] of annotations.entries) {
    if (value.text === undefined) {
      const message = `the annotation ${key} is ${show(value)}, and no text`;
      yield finding("annotation-value", value, message, "put its value into quotes");
    }
    if (!key.startsWith(prefix) || Object.values<string>(keys).includes(key)) continue;
    const meant = didYouMean(key, Object.values(keys));
    const hint = meant === undefined ? "delete it" : `did you mean ${meant}?`;
    yield finding("annotation-unknown", value, `nothing reads the annotation ${key}`, hint);
  }
  yield* checkMediaType(annotations.get(keys.mediaType), bundleMediaType);
  yield* checkMediaType(annotations.get(keys.testMediaType), testMediaType);
  for (const key of [keys.manifests, keys.metadata]) yield* checkFolder(annotations.get(key), bundle);
  yield* checkPackage(annotations.get(keys.package));
  yield* checkChannels(annotations);
  yield* checkTests(bundle);
  yield* checkLabels(bundle);
}

function* checkMediaType(value: Located, known: string): Findings {
  if (value.isMissing || value.value === known) return;
  yield finding("annotation-value", value, `the media type ${show(value)} is unknown`, `use ${known}`);
}

function* checkFolder(value: Located, bundle: Bundle): Findings {
  const folder = value.text;
  if (folder === undefined || (!folder.includes("..") && !folder.startsWith("/") && bundle.has(folder)))
    return;
  yield finding(
    "annotation-folder",
    value,
    `the bundle has no folder ${show(value)}`,
    "name a folder of the bundle, such as manifests/",
  );
}

function* checkPackage(value: Located): Findings {
  if (value.isMissing) return;
  const [reason] = checkSubdomain(value.text ?? "");
  if (reason === undefined) return;
  yield finding(
    "package-name",
    value,
    `the package ${show(value)} ${reason}`,
    "use the operator's name, such as shop-operator",
  );
}

function* checkChannels(annotations: Located): Findings {
  const value = annotations.get(keys.channels);
  const channels = (value.text ?? "").split(",");
  const seen = new Set<string>();
  for (const channel of value.isMissing ? [] : channels) {
    const [reason] = channel === "" ? ["is empty"] : checkLabelValue(channel);
    const why = reason ?? (seen.has(channel) ? "is listed twice" : undefined);
    seen.add(channel);
    if (why === undefined) continue;
    yield finding(
      "channel-name",
      value,
      `the channel "${channel}" ${why}`,
      "list names between commas: stable,fast",
    );
  }
  const chosen = annotations.get(keys.defaultChannel);
  if (!chosen.isMissing && !channels.includes(chosen.text ?? "")) {
    const message = `the default channel ${show(chosen)} is not one of the bundle's channels`;
    yield finding("default-channel", chosen, message, `use one of ${channels.join(", ")}`);
  } else if (chosen.isMissing && channels.length > 1) {
    const message = "the bundle is in several channels, and none is the default";
    yield finding("default-channel-missing", value, message, `add ${keys.defaultChannel}`);
  }
}

function* checkTests(bundle: Bundle): Findings {
  const folder = bundle.annotations.get(keys.testConfig);
  if (folder.text === undefined || bundle.has(`${folder.text.replace(/\/+$/u, "")}/config.yaml`)) return;
  const message = `there is no config.yaml in ${show(folder)}`;
  yield finding("scorecard-config", folder, message, "add it, or delete the annotations of the tests");
}

function* checkLabels({ annotations, dockerfile }: Bundle): Findings {
  if (!dockerfile) return;
  for (const key of Object.values(keys)) {
    const label = dockerfile.labels.get(key);
    const value = annotations.get(key);
    if (label?.value === value.text) continue;
    const message = !label
      ? `the image has no label ${key}=${value.text}`
      : value.isMissing
        ? `metadata/${annotationsFile} has no annotation ${key}: ${label.value}`
        : `the label ${key} is "${label.value}", but the annotation is ${show(value)}`;
    yield finding("label-mismatch", label ?? dockerfile, message, "labels and annotations must be equal");
  }
}

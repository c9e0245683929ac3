export { emitYaml, SharedMappings, type YamlValue } from "./emit-yaml.ts";

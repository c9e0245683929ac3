export { type LoadableKubeConfig, loadFromManager } from "./load-from-manager.ts";

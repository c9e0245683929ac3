import { type Story } from "../story.ts";
export declare const watches: readonly Story[];

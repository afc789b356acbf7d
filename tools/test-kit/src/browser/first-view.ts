import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';

interface Chunk {
  readonly file: string;
  readonly css?: readonly string[];
  readonly imports?: readonly string[];
}

/** The files that a page built by Vite loads before it shows. */
export class FirstView {
  readonly files: readonly string[];
  /** Their contents, in the order of `files`. */
  readonly contents: readonly Buffer[];

  /**
   * @param folder the build, with Vite's manifest.
   * @param names entries of the manifest, such as `index.html` and the module of a route.
   */
  constructor(folder: string, ...names: readonly string[]) {
    const manifest = readManifest(folder);
    const found = new Set<string>();
    const collect = (name: string) => {
      const chunk = manifest[name];
      if (chunk === undefined) throw new Error(`the build has no ${name}`);
      if (found.has(chunk.file)) return;
      for (const file of [chunk.file, ...(chunk.css ?? [])]) found.add(file);
      chunk.imports?.forEach(collect);
    };
    names.forEach(collect);
    this.files = ['index.html', ...found];
    this.contents = this.files.map((file) => readFileSync(join(folder, file)));
  }

  get gzipBytes(): number {
    return this.contents.reduce((sum, content) => sum + gzipSync(content).length, 0);
  }
}

/** Returns the file of a module that pages load later. */
export function findChunk(folder: string, name: string): string {
  const chunk = readManifest(folder)[name];
  if (chunk === undefined) throw new Error(`the build has no ${name}`);
  return chunk.file;
}

function readManifest(folder: string): Readonly<Record<string, Chunk>> {
  return JSON.parse(readFileSync(join(folder, '.vite/manifest.json'), 'utf8')) as Record<string, Chunk>;
}

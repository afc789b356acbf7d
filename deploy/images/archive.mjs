import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, rmSync } from 'node:fs';
import { createGunzip } from 'node:zlib';
import { ImageError, run, stream } from './programs.mjs';

// An image in one file: a tar in OCI layout, whose layers only add files.

const blob = ({ digest }) => `blobs/${digest.replace(':', '/')}`;
const read = (archive, path) => JSON.parse(run('tar', ['--extract', '--to-stdout', `--file=${archive}`, path]));

/** Returns the layers of an image, lowest first, each as a tar stream. */
function openLayers(archive) {
  const [manifest] = read(archive, 'index.json').manifests;
  return read(archive, blob(manifest)).layers.map(
    (layer) => () => stream('tar', ['--extract', '--to-stdout', `--file=${archive}`, blob(layer)]).pipe(createGunzip()),
  );
}

/** Measures the unpacked size of an image's layers in bytes. */
export async function measureImage(archive) {
  let bytes = 0;
  for (const open of openLayers(archive)) for await (const chunk of open()) bytes += chunk.length;
  return bytes;
}

/** Unpacks an image into a separate folder, which becomes its root. */
export async function unpackImage(archive, folder) {
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(folder, { recursive: true });
  for (const open of openLayers(archive)) {
    const tar = spawn('tar', ['--extract', '--numeric-owner', '--preserve-permissions', '-C', folder], {
      stdio: ['pipe', 'inherit', 'inherit'],
    });
    open().pipe(tar.stdin);
    const [code] = await once(tar, 'close');
    if (code !== 0) throw new ImageError(`tar could not unpack ${archive}`);
  }
}

import { mkdirSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

// Usage: node unpack.mjs <folder>. Unpacks Chromium, its fonts and libraries from the package.

const folder = process.argv[2];
const unfinished = `${folder}-${process.pid}`;
mkdirSync(unfinished);
// The package unpacks into the temporary folder, where other users could place files first.
process.env.TMPDIR = unfinished;
const { inflate } = await import('@sparticuz/chromium');
const packed = join(dirname(fileURLToPath(import.meta.resolve('@sparticuz/chromium'))), '../bin');
for (const name of ['chromium.br', 'fonts.tar.br', 'swiftshader.tar.br', 'al2023.tar.br'])
  await inflate(join(packed, name));
// The package's configuration names folders of AWS Lambda.
writeFileSync(
  join(unfinished, 'fonts/fonts.conf'),
  '<?xml version="1.0"?><fontconfig><dir prefix="relative">fonts</dir></fontconfig>\n',
);
rmSync(folder, { recursive: true, force: true });
renameSync(unfinished, folder);

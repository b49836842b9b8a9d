"""The facts about entities: `pieces` reads an `items.json` for lists and the index, `entities` knows whom they are about."""

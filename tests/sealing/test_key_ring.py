"""The keys of an installation: those of the setting, then those of the file."""

import stat

from skerry.sealing.key_ring import FILE_NAME, KeyRing, new_key
from skerry.sealing.sealed_texts import Place

HERE = Place("hooks", "secret", (1, 23))


def test_the_first_key_of_the_setting_encrypts_and_all_others_read(tmp_path):
    in_file, older, newer = new_key(), new_key(), new_key()
    KeyRing(folder=tmp_path).replace_file([in_file])
    keys = KeyRing(f"{newer}, {older}", tmp_path)
    alone = [KeyRing(each).ids()[0] for each in (newer, older, in_file)]
    assert (keys.first().id, keys.ids()) == (alone[0], alone)
    for each in (newer, older, in_file):
        with_one = KeyRing(each)
        assert keys.unseal(with_one.seal(with_one.first().id, "geheim", HERE), HERE) == "geheim"


def test_a_new_key_stands_alone_in_a_folder_of_its_owner(tmp_path):
    folder = tmp_path / "data"
    KeyRing(folder=folder).first()
    assert [path.name for path in folder.iterdir()] == [FILE_NAME]
    modes = [stat.S_IMODE(path.stat().st_mode) for path in (folder, folder / FILE_NAME)]
    assert modes == [0o700, 0o600]


def test_the_first_key_of_the_file_encrypts(tmp_path):
    newer, older = new_key(), new_key()
    keys = KeyRing(folder=tmp_path)
    keys.replace_file([newer, older])
    assert keys.first().id == KeyRing(newer).first().id

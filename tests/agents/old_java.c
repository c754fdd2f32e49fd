/* libjava.so, which such an agent names without wanting anything of it. */
void JNU_ThrowByName(void) { }
